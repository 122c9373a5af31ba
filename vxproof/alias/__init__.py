"""Who names what: moves, aliases, escapes and round trips of values that promise to stay put."""
