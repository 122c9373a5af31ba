"""From the typed IR to the plan: layouts, arenas, copies, products, barriers, as data."""
