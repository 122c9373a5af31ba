"""The reference meaning of the IR, and the re-execution of counterexamples on it."""
