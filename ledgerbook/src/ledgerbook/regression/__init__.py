"""What a run says about what is stored: the same, drift, altered."""
