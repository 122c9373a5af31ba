"""The typed IR: what a program means, with sizes as terms; independent of how it was written."""
