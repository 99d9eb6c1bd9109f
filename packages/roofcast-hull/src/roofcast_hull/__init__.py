"""The boat hull model: from what an algorithm does to its data to its execution time, before any code exists."""
