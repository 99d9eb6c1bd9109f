"""CUDA and C++ written as plain C, by what libclang says of them: templates, classes, lambdas, overloads resolved."""
