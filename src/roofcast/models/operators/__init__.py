"""Times of library operators: the library may run another kernel on the target."""
