"""WikiText-2 (Merity et al., 2016), word level: found on disk or downloaded, checksum verified."""

import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from lib.real_text.words import END, PARTS, CorpusError, digest, read_text

TOKENS = {"train": 2_088_628, "valid": 217_646, "test": 245_569}
TYPES = 33_278
SHA256 = "17efaddae060b927e4b1c08471a7d660c7c6c69d1f9a269dbedba65cec181ecb"  # of its words
FOLDER = "wikitext-2"
PROJECT_ROOT = Path(__file__).resolve().parents[2]
# The three parts as plain text, from one commit of PyTorch's examples, with their SHA-256.
SOURCE = (
    "https://raw.githubusercontent.com/pytorch/examples/37ce9402ff0cae48d764d7788810fd2ed8238b25"
    "/word_language_model/data/wikitext-2/"
)
FILES = {
    "train.txt": "728c77e87e176af4730f9a80fc6008bcaff421a7202c1c048877c0eec3685f89",
    "valid.txt": "f0737ed31fc1329026e95cb8b98e19c2a182c39c240ab909dc31abf2f8af58e8",
    "test.txt": "d790b833ef8cf03a90db7bf1271b7520b83c45ce07ba3c1a9699df81e239eca0",
}


def find_wikitext(
    folder: str | Path | None = None, download: Callable[[Path], Any] | None = None
) -> Path:
    """The folder that holds a verified WikiText-2 (``train.txt``, ``valid.txt``, ``test.txt``).

    Looked for in this order: ``folder``; the variable ``WIKITEXT_DIR``; ``shared/wikitext-2``
    beside the checkout, for several checkouts on one machine; the user's cache; a download into
    that cache.  If one of the first two is given and does not hold it, that is an error and the
    search ends.
    """
    named = folder or os.environ.get("WIKITEXT_DIR")
    if named:
        return verified(Path(named))
    beside, cache = PROJECT_ROOT.parent / "shared" / FOLDER, cache_folder()
    for place in (beside, cache):
        if place.is_dir():
            return verified(place)
    (download or download_wikitext)(cache)
    return verified(cache)


def cache_folder() -> Path:
    """Where a download is kept: the platform's user cache."""
    import platformdirs

    return Path(platformdirs.user_cache_dir("one-attention-layer")) / FOLDER


def verified(folder: Path) -> Path:
    """``folder`` if the checksum of its words is that of WikiText-2; else ``CorpusError``."""
    remedy = (
        "give the folder with train.txt, valid.txt and test.txt of WikiText-2 (parameter, or"
        " WIKITEXT_DIR), or use corpus='embedded'"
    )
    missing = [f"{part}.txt" for part in PARTS if not (folder / f"{part}.txt").is_file()]
    if missing:
        raise CorpusError(
            "the three parts of WikiText-2", f"{folder} without {', '.join(missing)}", remedy
        )
    parts = read_parts(folder)
    found = {part: len(words) for part, words in parts.items()} | {
        "types": len(set().union(*parts.values()))
    }
    expected = TOKENS | {"types": TYPES}
    wrong = [
        f"{key} {found[key]:,} instead of {expected[key]:,}"
        for key in expected
        if found[key] != expected[key]
    ] or ["other words in the same number"] * (digest(parts) != SHA256)
    if wrong:
        raise CorpusError("WikiText-2 as published", f"{folder} with {', '.join(wrong)}", remedy)
    return folder


def read_parts(folder: Path) -> dict[str, list[str]]:
    """WikiText's parts as lists of words, with one ``<eos>`` for each line."""
    lines = {part: read_text(Path(folder) / f"{part}.txt").split("\n") for part in PARTS}
    return {
        part: [
            word for line in rows[: len(rows) - (rows[-1] == "")] for word in (*line.split(), END)
        ]
        for part, rows in lines.items()
    }


def download_wikitext(target: Path) -> None:
    """Download WikiText-2 into ``target``.  Each file is checked by its hash; all three are kept
    or none.
    """
    import pooch

    pooch.get_logger().setLevel("ERROR")
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent) as scratch:
        ready = Path(scratch) / "ready"
        try:
            for name, sha256 in FILES.items():
                pooch.retrieve(SOURCE + name, f"sha256:{sha256}", fname=name, path=ready)
        except Exception as error:  # no network, a moved file, a wrong hash: a kind each
            raise CorpusError(
                "a download of WikiText-2",
                f"{type(error).__name__} at {SOURCE}",
                "go on line, or set WIKITEXT_DIR to its folder, or use corpus='embedded'",
            ) from error
        os.replace(verified(ready), target)
