"""What users ask beyond one forecast: whole runs, rooflines, comparisons, advice, choices; a room each."""
