"""The steps from what a file says to what a model sees, in order: each a thing with its reason (:mod:`.in_order`)."""
