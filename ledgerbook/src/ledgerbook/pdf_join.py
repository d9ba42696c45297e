"""Several PDFs as one, by qpdf: pages as they are, one outline, links that lead where they led.

qpdf takes pages over; outline and named places belong to a file as a whole and stay behind.  Here
they are read from each part and written for the whole, by qpdf's own JSON.  Tags do stay behind.
"""

import json
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from ledgerbook import doctor, storage


def join(parts: list[Path], target: Path, title: str) -> None:
    """All parts in their order as one file of that title, which is whole or not there.

    Raises ``OSError`` that says what qpdf did not like.
    """
    with tempfile.TemporaryDirectory() as place:
        pages, told, made = (Path(place, name) for name in ("pages.pdf", "told.json", "made.pdf"))
        _qpdf("--empty", "--pages", *map(str, parts), "--", str(pages))
        told.write_text(json.dumps(_told(parts, pages, title)), encoding="utf-8")
        streams = ("--object-streams=generate", "--compression-level=9", "--recompress-flate")
        _qpdf(str(pages), f"--update-from-json={told}", *streams, str(made))
        storage.write_atomically(target, made.read_bytes())


def _qpdf(*words: str) -> str:
    """What qpdf prints."""
    command = [doctor.QPDF, "--warning-exit-0", *words]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    if ran.returncode:
        why = (ran.stderr or ran.stdout).strip().splitlines()
        raise OSError(f"qpdf: {why[0] if why else ran.returncode}")
    return ran.stdout


class File:
    """What qpdf knows of a PDF: pages, outline, objects."""

    def __init__(self, file: Path):
        self.file = str(file)
        words = ("--json-key=outlines", "--json-key=pages", "--json-key=qpdf")
        found = json.loads(_qpdf("--json=2", *words, "--json-object=trailer", self.file))
        self.pages = [page["object"] for page in found["pages"]]
        self.outline, (self.header, objects) = found["outlines"], found["qpdf"]
        self.trailer = objects["trailer"]["value"]
        self.catalog = self.value(self.trailer["/Root"])

    def value(self, reference: str) -> dict[str, Any]:
        """An object by its reference, as in ``14 0 R``."""
        words = ("--json-key=qpdf", f"--json-object={reference.partition(' ')[0]}")
        found = json.loads(_qpdf("--json=2", *words, self.file))
        return found["qpdf"][1][f"obj:{reference}"]["value"]

    def places(self) -> dict[str, Any]:
        """The named places, each a page and where on it."""
        return self.value(self.catalog["/Dests"]) if "/Dests" in self.catalog else {}


class Whole:
    """The objects that are new in the whole: numbered from behind those that it has."""

    def __init__(self, last: int):
        self.last, self.objects = last, dict[str, Any]()

    def new(self) -> str:
        """A reference to an object that is not there yet."""
        self.last += 1
        return f"{self.last} 0 R"

    def put(self, reference: str, value: dict[str, Any]) -> str:
        """Say what an object is."""
        self.objects[f"obj:{reference}"] = {"value": value}
        return reference

    def level(self, parent: str, lines: list[dict[str, Any]]) -> dict[str, Any]:
        """Lines of the outline below another, closed; what the line above them says of them."""
        own = [self.new() for _ in lines]
        for number, (reference, line) in enumerate(zip(own, lines, strict=True)):
            said = {"/Title": f"u:{line['title']}", "/Parent": parent, "/Dest": line["dest"]}
            said |= {"/Prev": own[number - 1]} if number else {}
            said |= {"/Next": own[number + 1]} if reference != own[-1] else {}
            self.put(reference, said | self.level(reference, line["kids"]))
        return {"/First": own[0], "/Last": own[-1], "/Count": -len(own)} if own else {}


def _told(parts: list[Path], pages: Path, title: str) -> dict[str, Any]:
    """The update, in qpdf's JSON, that gives the pages of all parts one outline and all places."""
    whole, before = File(pages), 0
    lines: list[dict[str, Any]] = []
    places: dict[str, Any] = {}
    for part in map(File, parts):
        here = whole.pages[before : before + len(part.pages)]
        moved = dict(zip(part.pages, here, strict=True))
        lines += [_moved(line, moved) for line in part.outline]
        places |= {name: _place(place, moved) for name, place in part.places().items()}
        before += len(part.pages)
    made = Whole(whole.header["maxobjectid"])
    top = made.new()
    below = made.level(top, lines)
    made.put(top, {"/Type": "/Outlines", **below} | ({"/Count": len(lines)} if below else {}))
    shown = {"/PageMode": "/UseOutlines", "/ViewerPreferences": {"/DisplayDocTitle": True}}
    catalog = {"/Outlines": top, "/Dests": made.put(made.new(), places), **shown}
    made.put(whole.trailer["/Root"], whole.catalog | catalog)
    info = made.put(made.new(), {"/Title": f"u:{title}"})
    made.objects["trailer"] = {"value": whole.trailer | {"/Info": info}}
    return {"qpdf": [whole.header, made.objects]}


def _moved(line: dict[str, Any], moved: dict[str, str]) -> dict[str, Any]:
    kids = [_moved(one, moved) for one in line["kids"]]
    return {"title": line["title"], "dest": _place(line["dest"], moved), "kids": kids}


def _place(place: list[Any], moved: dict[str, str]) -> list[Any]:
    """A place on the page that its page has become."""
    return [moved[place[0]], *place[1:]]
