"""How fast verification answers, as ratios within one run; see bench.py."""
