"""The rows of the book: a module a statement, a method a row."""
