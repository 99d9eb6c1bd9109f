"""How boat hulls look: text, data, figures and pages."""
