"""The mechanistic model: seconds per resource, and the causes of what they leave open."""
