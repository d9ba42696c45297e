"""The site that Sphinx makes: its configuration, directives and what is mended in its output."""
