"""What to change in a kernel, each with the gain that the model forecasts."""
