"""An oracle of capacity: its own lives, sizes and first fit, held against the verifier."""
