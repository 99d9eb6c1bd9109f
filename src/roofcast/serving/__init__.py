"""Language models under traffic: what a config says, what a step takes, what requests see, what a deployment costs."""
