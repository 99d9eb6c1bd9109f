"""Many kernels on many real or hypothetical processors: choices under budgets, design spaces, sensitivities."""
