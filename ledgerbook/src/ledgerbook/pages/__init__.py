"""The generated parts of pages, as Markdown and as data."""
