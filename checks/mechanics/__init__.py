"""The rows of *Mechanics of Next Token Prediction*."""
