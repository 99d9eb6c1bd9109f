"""Skeletons of what is added to roofcast most often, each with its test; never part of the product."""
