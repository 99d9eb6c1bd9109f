"""What a library's kernel is: from its name, its label and its shapes to amounts."""
