"""Panels beside each other in a picture are below each other on a narrow screen."""

import io

import numpy as np
import pytest
from ledgerbook.ledger.figures import drawn, subplots
from ledgerbook.site import panels
from PIL import Image

FIGURE = (
    '<figure id="f"><a class="by-day" href="../_images/p.png">'
    '<img alt="Two &lt; three" class="by-day dark-light" src="../_images/p.png" /></a>'
    '<a class="by-night" href="q.png"><img alt="x" class="by-night" src="../_images/q.png" /></a>'
    "<figcaption><p>It falls (b, dotted), right up to 3.</p>"
    "</figcaption></figure>"
)


def grey(columns, rows=1, **options):
    """A drawn figure, as its levels."""
    figure, found = subplots(rows, columns, **options)
    for axis in np.ravel(found):
        axis.plot([0, 1], [0, 2])
        axis.set(title="a title", xlabel="step")
    np.ravel(found)[0].set_ylabel("size")
    with Image.open(io.BytesIO(drawn(figure))) as picture:
        return np.asarray(picture.convert("L"))


@pytest.mark.parametrize("columns, rows", [(2, 1), (3, 1), (4, 1), (2, 2)])
def test_each_column_of_panels_is_one(columns, rows):
    levels = grey(columns, rows)
    found = panels.panels(levels)
    assert len(found) == columns and all(len(parts) == 1 for parts in found)
    ends = [(left, left + width) for ((left, _, width, _),) in found]
    assert ends[0][0] == 0 and ends[-1][1] == levels.shape[1]
    assert all(end == start for (_, end), (start, _) in zip(ends, ends[1:], strict=False))
    assert all((levels[:, start] > 245).all() for start, _ in ends)


def test_a_scale_keeps_its_name_however_far_that_stands_from_it():
    figure, both = subplots(1, 2)
    for axis in both:
        axis.plot([0, 1], [0, 2])
    both[1].set_ylabel("size", labelpad=25)
    with Image.open(io.BytesIO(drawn(figure))) as picture:
        levels = np.asarray(picture.convert("L"))
    ((start, _, _, _),) = panels.panels(levels)[1]
    end = panels.axes(levels)[0][1]
    assert (levels[:, end + panels.TICK : start] >= panels.LIGHT).all()


def test_a_shared_scale_stands_beside_each():
    first, *others = panels.panels(grey(3, sharey=True))
    assert len(first) == 1 and all(len(parts) == 2 for parts in others)
    assert len({parts[0] for parts in others}) == 1  # that of the first panel


def test_words_below_all_panels_are_below_the_last():
    figure, both = subplots(1, 2)
    for axis in both:
        axis.plot([0, 1], [0, 2])
    figure.supxlabel("what all of the panels of this picture have below them")
    with Image.open(io.BytesIO(drawn(figure))) as picture:
        levels = np.asarray(picture.convert("L"))
    one, other, ((_, top, _, height),) = panels.panels(levels)
    assert top + height == levels.shape[0] and one[0][3] < top + panels.TICK + 1


@pytest.mark.parametrize("columns, rows", [(1, 1), (1, 2)])
def test_what_is_not_beside_anything_stays_whole(columns, rows):
    assert panels.panels(grey(columns, rows)) == []


@pytest.fixture
def stored(tmp_path, varied):
    """A build that holds a picture of two panels."""
    varied(build=tmp_path)
    (tmp_path / "jupyter_execute").mkdir()
    figure, both = subplots(1, 2)
    for axis in both:
        axis.plot([0, 1], [0, 2])
    (tmp_path / "jupyter_execute/p.png").write_bytes(drawn(figure))


def body(text):
    """A page's body as it is put."""
    context = {"body": text}
    panels.put(None, "", "", context, None)
    return context["body"]


@pytest.mark.usefixtures("stored")
def test_both_forms_have_their_panels_and_words_stay():
    text = body(f"<p>See picture (a).</p>{FIGURE}")
    assert text.count('data-panels="2"') == text.count('class="whole by-') == 2
    assert text.count('href="../_images/q.png"') == 2 and 'aria-label="Two &lt; three"' in text
    for words in ("<p>See picture (a).</p>", FIGURE[FIGURE.index("<figcaption") :]):
        assert words in text


def test_a_page_whose_picture_is_not_there_stays(tmp_path, varied):
    varied(build=tmp_path)
    assert body(FIGURE) == FIGURE
