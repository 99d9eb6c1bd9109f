"""From a kernel table and names of GPUs to a forecast: the way that every command takes."""
