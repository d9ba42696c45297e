"""What a page names, and where that stands: anchors, links, tooltips, symbols."""
