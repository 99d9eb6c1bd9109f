"""One module per file format; each gives a KernelTable."""
