"""The rows of a statement: how they are declared, judged and shown."""
