"""The rows of the companion: a module a statement, a method a row."""
