"""What is learned on top of the physics."""
