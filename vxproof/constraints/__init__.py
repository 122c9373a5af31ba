"""Obligation generators, one file a family: what has to hold of a function, as closed formulas."""
