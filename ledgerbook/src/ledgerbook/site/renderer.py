"""Figures of notebook outputs as HTML figures: with their alt text and caption."""

import hashlib
from dataclasses import replace

from docutils import nodes
from myst_nb.core.render import MimeData, NbElementRenderer

from ledgerbook.ledger.figures import DARK
from ledgerbook.ledger.ledger_table import MIME
from ledgerbook.pages import row_tables


class BookRenderer(NbElementRenderer):
    """The stock renderer, which drops the alt text and caption of ``figures.Picture``."""

    def render_markdown(self, data):
        """Markdown; where an output shows rows, the table of these, which carries them along."""
        if data.output_index is None:  # a raw cell
            return super().render_markdown(data)
        _, outputs = self.renderer.nb_client.code_cell_outputs(data.cell_index)
        rows = row_tables.stored(outputs[data.output_index]["data"].get(MIME, {}))
        if not rows:
            return super().render_markdown(data)
        found = super().render_markdown(replace(data, content=row_tables.table(rows)))
        found[0]["stored"] = rows
        return found

    def render_image(self, data):
        """An image, and its dark form, inside a captioned figure where its output has a caption."""
        images = super().render_image(data)
        details = data.output_metadata.get(data.mime_type, {})
        if DARK in details:
            images += super().render_image(replace(data, content=details[DARK]))
            for image, theme in zip(images, ("by-day", "by-night"), strict=True):
                image["classes"] += [theme, "dark-light"]  # the last keeps the theme's filter off
            images[-1]["loading"] = "lazy"  # a form that is not shown is not fetched
        if "alt" in details:
            for image in images:
                image["alt"] = details["alt"]
        if "caption" not in details:
            return images
        paragraph = self.render_markdown_inline(
            MimeData("text/markdown", details["caption"], line=data.line)
        )
        caption = nodes.caption(details["caption"], "", *paragraph)
        figure_id = "figure-" + hashlib.sha256(data.content.encode()).hexdigest()[:12]
        return [nodes.figure("", *images, caption, ids=[figure_id])]
