"""Figures of notebook outputs as HTML figures: with their alt text and caption."""

import hashlib

from docutils import nodes
from myst_nb.core.render import MimeData, NbElementRenderer


class BookRenderer(NbElementRenderer):
    """The stock renderer, which drops the alt text and caption of ``figures.Picture``."""

    def render_image(self, data):
        """An image, inside a captioned figure when its output carries a caption."""
        images = super().render_image(data)
        details = data.output_metadata.get(data.mime_type, {})
        if "alt" in details:
            images[0]["alt"] = details["alt"]
        if "caption" not in details:
            return images
        paragraph = self.render_markdown_inline(
            MimeData("text/markdown", details["caption"], line=data.line)
        )
        caption = nodes.caption(details["caption"], "", *paragraph)
        figure_id = "figure-" + hashlib.sha256(data.content.encode()).hexdigest()[:12]
        return [nodes.figure("", *images, caption, ids=[figure_id])]
