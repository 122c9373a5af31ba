"""Decides obligations: exact engines first, then enumeration, then z3; never sees a program."""
