"""Classes from code: affine loop nests in C or Python to the class notation, with an operation count."""
