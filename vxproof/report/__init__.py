"""Verdicts for a reader: the data of a run, and its renderings as text and as JSON."""
