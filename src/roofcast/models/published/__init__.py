"""Models as their authors published them."""
