"""The chapters as files: which there are, what they hold, what they depend on."""
