"""Seals: a hash for each entry of what is stored and dear to make again, in a file beside it.

The command that stores a file seals it.  A value that is changed by hand is then named by its
place; whoever renews the seal as well is found where the entry is made again: a theorem's words and
statement from its source, a cell of a table by the command in its provenance.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from ledgerbook.project import settings, storage

NAME = "seals.json"


def entries(content: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """The entries of a stored file by place: a list or mapping of records gives one a record."""
    for name, value in content.items():
        pairs: Any = value.items() if isinstance(value, dict) else ()
        pairs = list(enumerate(value) if isinstance(value, list) else pairs)
        if pairs and all(isinstance(item, dict | list) for _, item in pairs):
            yield from ((f"{name}[{key}]", item) for key, item in pairs)
        else:
            yield name, value


def _hashes(content: dict[str, Any]) -> dict[str, str]:
    text = {place: json.dumps(value, sort_keys=True) for place, value in entries(content)}
    return {place: hashlib.sha256(t.encode()).hexdigest()[:16] for place, t in text.items()}


def _stored(file: Path) -> dict[str, dict[str, str]]:
    return storage.table(file.parent / NAME)


def seal(file: Path) -> None:
    """Seal the entries of a file as they are now."""
    all_ = _stored(file) | {file.name: _hashes(storage.table(file))}
    text = json.dumps(all_, indent=1, sort_keys=True) + "\n"
    storage.write_atomically(file.parent / NAME, text)


def broken(file: Path) -> list[str]:
    """The places of a file whose seals do not fit.

    None where there are no seals beside it, unless the setting ``sealed`` names its folder; a file
    of seals that was emptied fits nothing.
    """
    named = (settings.root() / folder for folder in settings.settings().sealed)
    if not (file.parent / NAME).exists() and file.parent not in named:
        return []
    then = _stored(file).get(file.name, {})
    now = _hashes(storage.table(file))
    return [place for place in {**then, **now} if then.get(place) != now.get(place)]


def problems(files: Iterable[Path]) -> Iterator[str]:
    """A line for each file that is not as it was stored."""
    for file in files:
        if places := broken(file):
            more = f" and {len(places) - 3} more" if len(places) > 3 else ""
            top = settings.root()
            name = file.relative_to(top) if file.is_relative_to(top) else file
            yield (
                f"{name}: {', '.join(places[:3])}{more}: not as it was stored;"
                f" git checkout {name}, or make it again"
            )
