"""The plain twin: every page of the contents, every row of the ledger, nothing left to expand."""

import json

from ledgerbook.statements import written

from ledgerbook import collect, twin


def test_the_twin_has_every_page_and_every_row(tmp_path):
    ledger = collect.collect()
    twin.write(tmp_path, ledger)
    index = json.loads((tmp_path / "index.json").read_text(encoding="utf-8"))
    pages = {entry["page"]: entry for entry in index["pages"]}
    assert {row.docname.removeprefix("book/") + ".md" for row in written()} <= pages.keys()
    assert all((tmp_path / name).is_file() for name in pages)
    told = {
        one["tag"]: one["status"] for entry in pages.values() for one in entry.get("statements", ())
    }
    for record in ledger["statements"]:
        if record["chapter"]:
            assert told[record["tag"]] == record["status"]
            text = (
                (tmp_path / record["chapter"].removeprefix("book/"))
                .with_suffix(".md")
                .read_text(encoding="utf-8")
            )
            assert all(f'"id":"{claim["id"]}"' in text for claim in record["claims"])


def test_generated_pages_are_made_not_named(tmp_path):
    ledger = collect.collect()
    twin.write(tmp_path, ledger)
    text = (tmp_path / "errata.md").read_text(encoding="utf-8")
    assert "{errata-page}" not in text
    assert all(f"### {erratum['id']} " in text for erratum in ledger["errata"])


def test_the_ledgers_page_says_where_the_rows_are_and_repeats_none(tmp_path):
    ledger = collect.collect()
    twin.write(tmp_path, ledger)
    text = (tmp_path / "ledger.md").read_text(encoding="utf-8")
    assert "../_data/ledger.json" in text and "kernel-checked" in text
    ids = {claim["id"] for record in ledger["statements"] for claim in record["claims"]}
    assert not [id for id in ids if f"`{id}`" in text]
