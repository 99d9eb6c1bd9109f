"""Amounts and processors to seconds: the published models as published, ours beside them."""
