"""Several PDFs as one, made page by page: links across parts, tags, how a reader opens it."""

import pytest
from ledgerbook.joined import ELSEWHERE
from pypdf import PdfReader, PdfWriter
from pypdf.annotations import Link
from pypdf.generic import ArrayObject, DictionaryObject, NameObject, NumberObject, TextStringObject

from ledgerbook import pdf_join


def part(file, place, wanted=()):
    """A PDF of one page that a name leads to, with a link to each other name that is wanted."""
    made = PdfWriter()
    made.add_blank_page(100, 100)
    made.add_named_destination(f"/{place}", 0)
    for name in wanted:
        made.add_annotation(0, Link(rect=(0, 0, 9, 9), url=f"{ELSEWHERE}{name}"))
    made.write(file)
    return file


def test_links_lead_from_part_to_part_and_those_to_no_place_are_counted(tmp_path):
    parts = [
        part(tmp_path / "1.pdf", "a", ["b", "none"]),
        part(tmp_path / "2.pdf", "b", ["a", "nowhere", "b"]),
    ]
    assert pdf_join.join(parts, tmp_path / "book.pdf", "All η") == 2
    whole = PdfReader(tmp_path / "book.pdf")
    at = {page.indirect_reference: number for number, page in enumerate(whole.pages)}
    led = [
        [at[link["/Dest"][0]] for link in pdf_join.links(page) if "/Dest" in link]
        for page in whole.pages
    ]
    assert led == [[1], [0, 1]] and whole.metadata.title == "All η"


def test_what_is_no_pdf_is_no_book(tmp_path):
    (tmp_path / "part.pdf").write_bytes(b"no PDF")
    with pytest.raises(OSError, match="part.pdf: "):
        pdf_join.join([tmp_path / "part.pdf"], tmp_path / "book.pdf", "All")
    assert not (tmp_path / "book.pdf").exists()


def named(**entries):
    """A dictionary as a PDF holds it."""
    return DictionaryObject({NameObject(f"/{name}"): value for name, value in entries.items()})


def tagged(file, letters, language, listed):
    """A PDF of a page a letter with a link on it; page and link each have an element of that name.

    listed: whether the elements stand in a list, or one of them that holds the rest.
    """
    made, numbers, elements = PdfWriter(), ArrayObject(), ArrayObject()
    for count, letter in enumerate(letters):
        page = made.add_blank_page(100, 100)
        page[NameObject("/StructParents")] = NumberObject(2 * count)
        made.add_annotation(count, Link(rect=(0, 0, 9, 9), url="https://example.org"))
        pdf_join.links(page)[0][NameObject("/StructParent")] = NumberObject(2 * count + 1)
        for number, what in ((2 * count, "page"), (2 * count + 1, "link")):
            element = named(S=NameObject("/P"), T=TextStringObject(f"{what} {letter}"))
            elements.append(made._add_object(element))
            numbers += [NumberObject(number), elements[-1]]
    top = elements if listed else made._add_object(named(S=NameObject("/Document"), K=elements))
    tree = named(K=top, ParentTree=named(Nums=numbers))
    tree[NameObject("/ParentTreeNextKey")] = NumberObject(2 * len(letters))
    made.root_object[NameObject("/StructTreeRoot")] = made._add_object(tree)
    made.root_object[NameObject("/Lang")] = TextStringObject(language)
    made.write(file)
    return file


@pytest.fixture
def whole(tmp_path):
    """Three parts with tags, and one without in their middle."""
    parts = [
        tagged(tmp_path / "1.pdf", "ab", "la", listed=True),
        part(tmp_path / "2.pdf", "none"),
        tagged(tmp_path / "3.pdf", "c", "la", listed=False),
        tagged(tmp_path / "4.pdf", "de", "en", listed=True),
    ]
    pdf_join.join(parts, tmp_path / "book.pdf", "All")
    return PdfReader(tmp_path / "book.pdf")


def test_each_page_and_link_keeps_the_element_that_it_had(whole):
    root = whole.root_object["/StructTreeRoot"]
    parents = pdf_join.numbered(root["/ParentTree"])
    names = {number: element.get_object()["/T"] for number, element in parents}
    assert len(names) == len(parents) and max(names) < root["/ParentTreeNextKey"]
    for letter, page in zip("ab cde", whole.pages, strict=True):
        if letter == " ":
            assert "/StructParents" not in page
            continue
        (link,) = pdf_join.links(page)
        told = names[page["/StructParents"]], names[link["/StructParent"]]
        assert told == (f"page {letter}", f"link {letter}")


def test_all_tags_hang_below_one_root_which_readers_are_told_of(whole):
    catalog = whole.root_object
    root = catalog["/StructTreeRoot"]
    kids = [kid.get_object() for kid in root["/K"]]
    assert root["/Type"] == "/StructTreeRoot" and all(kid["/P"] == root for kid in kids)
    names = [kid.get("/T", kid["/S"]) for kid in kids]
    first, last = (
        [f"{what} {a}" for a in part for what in ("page", "link")] for part in ("ab", "de")
    )
    assert names == [*first, "/Document", *last]
    assert catalog["/MarkInfo"]["/Marked"].value is True and catalog["/Lang"] == "en"


def test_a_reader_opens_it_with_its_outline_and_its_title(whole):
    assert whole.page_mode == "/UseOutlines" and whole.metadata.title == "All"
    assert whole.root_object["/ViewerPreferences"]["/DisplayDocTitle"].value is True


def test_without_tags_none_are_promised(tmp_path):
    pdf_join.join([part(tmp_path / "1.pdf", "a")], tmp_path / "book.pdf", "All")
    said = PdfReader(tmp_path / "book.pdf").root_object
    assert not {"/StructTreeRoot", "/MarkInfo", "/Lang"} & said.keys()


def test_a_tree_of_numbers_is_read_with_all_its_branches():
    leaf, other = ({"/Nums": [number, f"value {number}"]} for number in (3, 5))
    branch = DictionaryObject({"/Kids": [DictionaryObject(leaf), DictionaryObject(other)]})
    tree = {"/Nums": [0, "a", 1, "b"], "/Kids": [branch]}
    wanted = [(0, "a"), (1, "b"), (3, "value 3"), (5, "value 5")]
    assert pdf_join.numbered(tree) == wanted and pdf_join.numbered({}) == []
