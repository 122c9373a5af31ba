"""Text to AST to typed IR: syntax, names, types and shapes of Vx programs."""
