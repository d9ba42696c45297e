"""One style for all pages: what it keeps, what it drops, where its files are found."""

from types import SimpleNamespace

import pytest

from ledgerbook import bundle


@pytest.mark.parametrize(
    ("css", "kept"),
    (
        (".used,.lost .used{a:b}", ".used{a:b}"),
        (".lost{a:b}p{c:d}", "p{c:d}"),
        ("@media print{.lost{a:b}}", ""),
        ("@media print{.lost{a:b}.used{c:d}}", "@media print{.used{c:d}}"),
        ("p:not(.lost):is(.used,.lost){a:b}", "p:not(.lost):is(.used,.lost){a:b}"),
        ('.used:after{content:"}.lost{"}', '.used:after{content:"}.lost{"}'),
        ("@font-face{a:url(x;{)}", "@font-face{a:url(x;{)}"),
        (r".w\:3{a:b}.w\:4{a:b}", r".w\:3{a:b}"),
        ("#place,[class=lost]{a:b}", "#place,[class=lost]{a:b}"),
        (".bs-tooltip-end{a:b}", ".bs-tooltip-end{a:b}"),
        ('@charset "UTF-8";p{a:b}', '@charset "UTF-8";\np{a:b}'),
    ),
)
def test_rules_of_classes_that_nothing_has_are_dropped(css, kept):
    assert bundle.pruned(css, {"used", "w:3"}) == kept


def test_a_style_brings_what_it_imports_and_finds_its_files(tmp_path):
    (tmp_path / "_static/styles").mkdir(parents=True)
    (tmp_path / "_static/a.css").write_text("/* why */b{c:url(d.png)}", "utf-8")
    (tmp_path / "_static/styles/e.css").write_text(
        '@import "../a.css";f{g:url("../../h.woff2");i:url(data:j)}', "utf-8"
    )
    style = bundle._style(tmp_path, "_static/styles/e.css")
    assert style == 'b{c:url(d.png)}f{g:url("../h.woff2");i:url(data:j)}'


def test_names_stand_on_pages_and_in_scripts(tmp_path):
    (tmp_path / "_static").mkdir()
    (tmp_path / "a.html").write_text('<p class="one two"><script>x("three")</script>', "utf-8")
    (tmp_path / "_static/b.js").write_text("y.classList.add('four-five')", "utf-8")
    assert {"one", "two", "three", "four-five"} <= bundle.classes(tmp_path)
    assert "six" not in bundle.classes(tmp_path)


def test_the_theme_has_the_blocks_that_the_layout_fills(tmp_path):
    bundle.write_templates(tmp_path)
    assert "site.css" in (tmp_path / "layout.html").read_text("utf-8")


def test_a_script_is_its_file_or_its_words_unless_one_page_alone_says_them():
    script = lambda filename, **rest: SimpleNamespace(filename=filename, attributes=rest)
    assert bundle._script(script("_static/b.js", body="b()")) == "_static/b.js"
    assert bundle._script(script(None, body="b()")) == "\nb()"
    assert bundle._script(script(None, body=f"{bundle.OF_ONE_PAGE} = 1")) == ""


@pytest.fixture
def site(tmp_path, monkeypatch):
    """A site whose pages list one style and one script."""
    (tmp_path / "_static").mkdir()
    for name, text in (("a.css", "p{c:d}"), ("b.js", "b()")):
        (tmp_path / "_static" / name).write_text(text, "utf-8")
    lists = {"styles": ["_static/a.css?v=1"], "scripts": ["_static/b.js"]}
    monkeypatch.setattr(bundle, "_listed", lists)
    builder = SimpleNamespace(name="html")
    return SimpleNamespace(builder=builder, outdir=str(tmp_path)), tmp_path / "_static"


def test_a_finished_site_has_one_style_and_its_scripts_in_place_of_their_files(site):
    app, folder = site
    bundle.write(app, None)
    assert {file.name for file in folder.iterdir()} == {"site.css", "site.js", "later.js"}
    assert (folder / "site.css").read_text("utf-8") == "p{c:d}"
    assert "b()" in (folder / "later.js").read_text("utf-8")


def test_a_build_that_failed_loses_no_file(site):
    app, folder = site
    bundle.write(app, ValueError("half a site"))
    assert {file.name for file in folder.iterdir()} == {"a.css", "b.js"}
