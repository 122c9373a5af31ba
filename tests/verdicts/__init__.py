"""Programs that carry their own expectation, and the runner that holds the verdicts against it."""
