"""Other compilers on the same kernel: optional, measured only where they are installed."""
