"""WikiText-2: search order, verification to the letter, a download checked by its hashes."""

import hashlib
import http.server
import threading
from functools import partial

import pytest

from lib.real_text import corpus as corpora
from lib.real_text import wikitext
from lib.real_text.tables import stored
from lib.real_text.words import END, CorpusError, digest


@pytest.fixture
def no_wikitext(monkeypatch, tmp_path):
    """A machine without WikiText: nothing beside the project, an empty cache, no variable."""
    monkeypatch.delenv("WIKITEXT_DIR", raising=False)
    monkeypatch.setattr(wikitext, "PROJECT_ROOT", tmp_path / "project")
    monkeypatch.setattr(wikitext, "cache_folder", lambda: tmp_path / "user/cache/wikitext-2")
    return tmp_path


@pytest.fixture
def small_wikitext(monkeypatch):
    """A stand-in for the published text: 6 / 2 / 2 tokens, 3 types."""
    monkeypatch.setattr(wikitext, "TOKENS", {"train": 6, "valid": 2, "test": 2})
    monkeypatch.setattr(wikitext, "TYPES", 3)
    words = {"train": ["a", "b", END, END, "a", END], "valid": ["b", END], "test": ["a", END]}
    monkeypatch.setattr(wikitext, "SHA256", digest(words))
    return {"train": "a b\n\na\n", "valid": "b\n", "test": "a\n"}


def put(folder, parts):
    folder.mkdir(parents=True, exist_ok=True)
    for part, text in parts.items():
        (folder / f"{part}.txt").write_text(text, encoding="utf-8")
    return folder


def test_wikitext_counts_one_end_per_line_whether_the_last_is_ended_or_not(tmp_path):
    put(tmp_path, {"train": "a b\nb\n\n", "valid": "a\n\nb", "test": ""})
    parts = {part: " ".join(words) for part, words in wikitext.read_parts(tmp_path).items()}
    assert parts["train"] == "a b <eos> b <eos> <eos>"
    assert parts["valid"] == "a <eos> <eos> b <eos>" and parts["test"] == ""


def test_a_download_is_kept_in_the_user_s_cache_and_a_copy_lies_beside_the_checkout():
    cache = wikitext.cache_folder()
    assert cache.name == "wikitext-2" and "one-attention-layer" in cache.parts
    assert (wikitext.PROJECT_ROOT / "book").is_dir()


def test_the_stored_tables_are_of_the_text_that_is_asked_for():
    counts = " / ".join(f"{wikitext.TOKENS[part]:,}" for part in ("train", "valid", "test"))
    about = f"{counts} tokens, {wikitext.TYPES:,} types"
    for table in ("figure_07.json", "figure_10.json"):
        corpus = stored(table)["provenance"]["corpus"]
        assert about in corpus and f"fingerprint {wikitext.SHA256[:8]}" in corpus


def test_search_order(no_wikitext, small_wikitext, monkeypatch):
    calls = []

    def download(target):
        calls.append(target)
        put(target, small_wikitext)

    cache = wikitext.cache_folder()
    assert wikitext.find_wikitext(download=download) == cache and calls == [cache]
    assert wikitext.find_wikitext(download=download) == cache and len(calls) == 1
    beside = put(no_wikitext / "shared" / "wikitext-2", small_wikitext)
    assert wikitext.find_wikitext() == beside
    variable = put(no_wikitext / "variable", small_wikitext)
    monkeypatch.setenv("WIKITEXT_DIR", str(variable))
    assert wikitext.find_wikitext() == variable
    named = put(no_wikitext / "named", small_wikitext)
    assert wikitext.find_wikitext(named) == named


def test_a_named_folder_without_the_parts(tmp_path):
    (tmp_path / "train.txt").write_text("a")
    with pytest.raises(CorpusError, match="valid.txt, test.txt.*to do"):
        corpora.load("wikitext", folder=tmp_path)


def test_wikitext_is_read_from_the_folder_that_is_named(tmp_path, small_wikitext):
    corpus = corpora.load("wikitext", 3, folder=put(tmp_path, small_wikitext))
    assert corpus.summary().startswith("WikiText-2: 6 / 2 / 2 tokens, 3 types, the commonest 3")


def test_truncated_wikitext_says_what_is_missing(tmp_path, small_wikitext):
    put(tmp_path, small_wikitext | {"train": "a b\n"})
    with pytest.raises(CorpusError, match="train 3 instead of 6"):
        wikitext.find_wikitext(tmp_path)


def test_words_exchanged_throughout_are_not_wikitext(tmp_path, small_wikitext):
    swapped = {
        part: text.translate(str.maketrans("ab", "ba")) for part, text in small_wikitext.items()
    }
    with pytest.raises(CorpusError, match="other words in the same number"):
        wikitext.find_wikitext(put(tmp_path, swapped))


@pytest.fixture
def server(tmp_path, monkeypatch, small_wikitext):
    """A server on loopback with the stand-in's three files; yields their folder."""
    folder = put(tmp_path / "served", small_wikitext)
    quiet = type("Quiet", (http.server.SimpleHTTPRequestHandler,), {"log_message": lambda *_: None})
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), partial(quiet, directory=folder)) as web:
        threading.Thread(target=web.serve_forever, daemon=True).start()
        monkeypatch.setattr(wikitext, "SOURCE", f"http://127.0.0.1:{web.server_port}/")
        hashes = {
            f"{part}.txt": hashlib.sha256(text.encode()).hexdigest()
            for part, text in small_wikitext.items()
        }
        monkeypatch.setattr(wikitext, "FILES", hashes)
        yield folder
        web.shutdown()


def test_a_download_is_verified_and_kept(no_wikitext, server):
    wikitext.cache_folder().parent.mkdir(parents=True)  # there before; elsewhere it is made
    folder = wikitext.find_wikitext()
    assert sorted(path.name for path in folder.iterdir()) == ["test.txt", "train.txt", "valid.txt"]
    (server / "train.txt").unlink()
    assert wikitext.find_wikitext() == folder, "fetched again"
    assert list(folder.parent.iterdir()) == [folder]


@pytest.mark.parametrize("fault", ["altered", "missing", "other words"])
def test_a_download_that_is_not_right_leaves_no_cache(fault, no_wikitext, server, monkeypatch):
    if fault == "missing":
        (server / "test.txt").unlink()
    elif fault == "altered":
        (server / "test.txt").write_text("b\n")
    else:
        monkeypatch.setattr(wikitext, "SHA256", "0" * 64)
    with pytest.raises(CorpusError, match="WIKITEXT_DIR") as error:
        wikitext.find_wikitext()
    assert "\n" not in str(error.value)
    cache = wikitext.cache_folder()
    assert not cache.exists() and not list(cache.parent.iterdir())


def test_the_published_hashes_are_those_of_the_text_at_hand():
    place = wikitext.PROJECT_ROOT.parent / "shared" / "wikitext-2"
    if not place.is_dir():
        pytest.skip("no WikiText here")
    assert {
        name: hashlib.sha256((place / name).read_bytes()).hexdigest() for name in wikitext.FILES
    } == wikitext.FILES
    assert wikitext.verified(place) == place
