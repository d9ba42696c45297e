"""Several PDFs as one, by pypdf: pages, outline, tags, and links from part to part.

pypdf carries pages, outline and named places over.  Tags belong to a file as a whole: the tree of
each part is hung below one root here, and its numbers run on from those of the part before.
"""

import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pypdf import PageObject, PdfReader, PdfWriter
from pypdf.errors import PyPdfError
from pypdf.generic import ArrayObject, BooleanObject, DictionaryObject, NameObject, NumberObject

from ledgerbook import joined, storage


def join(parts: list[Path], target: Path, title: str) -> int:
    """All parts in their order as one file of that title, which is whole or not there.

    Returns how many of its links lead nowhere.  Raises ``OSError`` for a part that is no PDF.
    """
    whole, tags = PdfWriter(), Tags()
    for part in parts:
        try:
            read, before = PdfReader(part), len(whole.pages)
            whole.append(read)
        except PyPdfError as error:
            raise OSError(f"{part.name}: {error}") from error
        tags.add(read, whole, whole.pages[before:])
    tags.put(whole)
    lost = lead(whole)
    whole.add_metadata({"/Title": title})
    whole.page_mode = "/UseOutlines"
    shown = DictionaryObject({NameObject("/DisplayDocTitle"): BooleanObject(True)})
    whole.root_object[NameObject("/ViewerPreferences")] = shown
    made = io.BytesIO()
    whole.write(made)
    storage.write_atomically(target, made.getvalue())
    return lost


def links(page: PageObject) -> list[DictionaryObject]:
    """The links that lie on a page."""
    return [link.get_object() for link in page.get("/Annots", ())]


def lead(whole: PdfWriter) -> int:
    """Every link to a named place leads to its page, in any part; how many have no place."""
    places, lost = whole.named_destinations, 0
    for link in (link for page in whole.pages for link in links(page)):
        name, action = link.get("/Dest"), link.get("/A", {})
        if action.get("/URI", "").startswith(joined.ELSEWHERE):
            del link["/A"]
            name = "/" + action["/URI"].removeprefix(joined.ELSEWHERE)
        if isinstance(name, str) and name in places:
            link[NameObject("/Dest")] = places[name].dest_array
        elif isinstance(name, str):
            link.pop("/Dest", None)
            lost += 1
    return lost


class Tags:
    """The trees of tags of all parts below one root."""

    def __init__(self) -> None:
        self.root = DictionaryObject({NameObject("/Type"): NameObject("/StructTreeRoot")})
        self.kids, self.parents, self.next = ArrayObject(), ArrayObject(), 0
        self.language: Any = None

    def add(self, part: PdfReader, whole: PdfWriter, pages: Sequence[PageObject]) -> None:
        """The tags of a part, whose pages are these of the whole."""
        if "/StructTreeRoot" not in part.root_object:
            return
        self.language = part.root_object.get("/Lang", self.language)
        own: Any = part.root_object["/StructTreeRoot"].clone(whole)
        top = own["/K"].get_object()
        self.kids += top if isinstance(top, list) else [own.raw_get("/K")]
        for key, value in numbered(own["/ParentTree"]):
            self.parents += [NumberObject(self.next + key), value]
        for before, page in zip(part.pages, pages, strict=True):
            if (number := before.get("/StructParents")) is not None:  # pypdf leaves it behind
                page[NameObject("/StructParents")] = NumberObject(self.next + number)
            for link in links(page):
                if (number := link.get("/StructParent")) is not None:
                    link[NameObject("/StructParent")] = NumberObject(self.next + number)
        self.next += own["/ParentTreeNextKey"]

    def put(self, whole: PdfWriter) -> None:
        """Say it in the whole, if a part had tags."""
        if not self.kids:
            return
        root = whole._add_object(self.root)
        for kid in self.kids:
            kid.get_object()[NameObject("/P")] = root
        tree = DictionaryObject({NameObject("/Nums"): self.parents})
        self.root[NameObject("/K")] = self.kids
        self.root[NameObject("/ParentTree")] = whole._add_object(tree)
        self.root[NameObject("/ParentTreeNextKey")] = NumberObject(self.next)
        catalog = whole.root_object
        catalog[NameObject("/StructTreeRoot")] = root
        marked = DictionaryObject({NameObject("/Marked"): BooleanObject(True)})
        catalog[NameObject("/MarkInfo")] = marked
        catalog[NameObject("/Lang")] = self.language


def numbered(tree: Any) -> list[tuple[int, Any]]:
    """Numbers and values of a number tree (ISO 32000, 7.9.7)."""
    flat = list(tree.get("/Nums", ()))
    found = list(zip(flat[::2], flat[1::2], strict=True))
    return found + [one for kid in tree.get("/Kids", ()) for one in numbered(kid.get_object())]
