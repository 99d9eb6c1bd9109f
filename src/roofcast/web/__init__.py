"""The page that `roofcast serve` serves."""
