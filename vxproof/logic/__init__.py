"""Terms, formulas, obligations, verdicts and exact evaluation; standard library only."""
