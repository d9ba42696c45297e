"""One style for all pages: what it keeps, what it drops, where its files are found."""

import contextlib
from types import SimpleNamespace

import pytest

from ledgerbook import bundle


@pytest.mark.parametrize(
    ("css", "kept"),
    (
        (".used,.lost .used{a:b}", ".used{a:b}"),
        (".lost{a:b}p{c:d}", "p{c:d}"),
        ("a[title='x,y'],.lost,b{a:b}", "a[title='x,y'],b{a:b}"),
        (
            "@media print{@supports (a:b){.used{c:d}}p{e:f}}q{}",
            "@media print{@supports (a:b){.used{c:d}}\np{e:f}}",
        ),
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
    """A site whose pages list styles and scripts, one of which is ours and one needed at once."""
    (tmp_path / "_static").mkdir()
    files = {"a.css": "p{c:d}", "b.js": "b()", "doctools.js": "once()", "ours.js": "ours()"}
    for name, text in files.items():
        (tmp_path / "_static" / name).write_text(text, "utf-8")
    (tmp_path / "ours").mkdir()
    (tmp_path / "ours/ours.js").touch()
    monkeypatch.setattr(bundle.configuration, "STATIC", tmp_path / "ours")
    scripts = [*(f"_static/{name}" for name in ("doctools.js", "b.js?v=2", "ours.js")), "\nwords()"]
    lists = {"styles": ["_static/a.css?v=1"], "scripts": scripts}
    monkeypatch.setattr(bundle, "_listed", lists)
    builder = SimpleNamespace(name="html")
    return SimpleNamespace(builder=builder, outdir=str(tmp_path)), tmp_path / "_static"


def test_a_finished_site_has_one_style_and_its_scripts_in_place_of_their_files(site):
    app, folder = site
    bundle.write(app, None)
    assert {file.name for file in folder.iterdir()} == {"site.css", "site.js", "later.js"}
    assert (folder / "site.css").read_text("utf-8") == "p{c:d}"
    later = (folder / "later.js").read_text("utf-8")
    assert later == "void 0;\n;\nb()\n;\n\nwords()"
    at_once = (folder / "site.js").read_text("utf-8")
    assert at_once.startswith("void 0;\n;\n") and at_once.endswith("\n;\nonce()\n;\nours()")
    assert bundle.LATER in at_once  # it fetches the others


@pytest.mark.parametrize(
    ("builder", "exception", "listed"),
    [("html", ValueError("half"), True), ("epub", None, True), ("html", None, False)],
)
def test_where_no_site_was_finished_no_file_is_lost(site, builder, exception, listed):
    app, folder = site
    app.builder.name = builder
    if not listed:  # Sphinx wrote no page
        bundle._listed.clear()
    before = {file.name for file in folder.iterdir()}
    bundle.write(app, exception)
    assert {file.name for file in folder.iterdir()} == before


@pytest.fixture
def lists(monkeypatch):
    """What a page of a builder lists, and what its template is told."""
    monkeypatch.setattr(bundle, "_listed", {})

    def put(builder="html", made_by="code", copied=None):
        script = lambda place, filename, **rest: SimpleNamespace(
            priority=place, filename=filename, attributes=rest
        )
        context = {
            "script_files": [
                script(900, "_static/last.js", async_="async"),
                script(200, None, body="words()"),
                script(100, "documentation_options.js", **{"data-url_root": "./", "id": "x"}),
                script(300, None, body=f"{bundle.OF_ONE_PAGE} = 1"),
            ],
            "css_files": [script(900, "_static/z.css"), script(200, "_static/a.css")],
        }
        context |= {"copied": copied} if copied else {}
        config = SimpleNamespace(made_by=made_by)
        app = SimpleNamespace(builder=SimpleNamespace(name=builder), config=config)
        bundle.put(app, "a/page", "page.html", context, None)
        return context

    return put


def test_what_a_page_lists_is_remembered_in_its_order_behind_the_themes(lists):
    lists()
    theme = ["_static/styles/theme.css", "_static/styles/pydata-sphinx-theme.css"]
    assert bundle._listed["styles"] == [*theme, "_static/a.css", "_static/z.css"]
    scripts = ["documentation_options.js", "\nwords()", "_static/last.js", bundle.MENUS]
    assert bundle._listed["scripts"] == scripts


def test_a_template_is_told_what_scripts_ask_their_own_tag_for(lists):
    assert lists()["bundled_data"] == {"data-url_root": "./"}


def test_a_browser_keeps_a_style_until_code_or_copied_files_changed(lists):
    same, again = lists()["bundled"], lists()["bundled"]
    others = {lists(made_by="other")["bundled"], lists(copied="files")["bundled"]}
    assert same == again and same not in others and len(others) == 2


def test_other_builders_keep_their_lists(lists):
    assert "bundled" not in lists("epub") and bundle._listed == {}


def test_a_script_comes_without_its_map_and_the_themes_without_what_measures(tmp_path):
    menus = tmp_path / bundle.MENUS
    menus.parent.mkdir(parents=True)
    measures = ',"complete"===document.readyState?m():window.addEventListener("load",m)'
    menus.write_text(f"one(){measures};\n//# sourceMappingURL=a.map\ntwo()\n", "utf-8")
    assert bundle._code(tmp_path, bundle.MENUS) == "one();\n\ntwo()"
    (tmp_path / "a.js").write_text(f"a(){measures}", "utf-8")
    assert bundle._code(tmp_path, "a.js?v=1") == f"a(){measures}"
    menus.write_text("one()", "utf-8")
    with pytest.raises(ValueError, match="does not measure blocks of code as it did"):
        bundle._code(tmp_path, bundle.MENUS)


@pytest.mark.parametrize(
    ("lacks", "refused"), [("nothing", False), ("scripts", False), ("body_tag", True)]
)
def test_a_theme_without_a_block_that_the_layout_fills_is_an_error(
    tmp_path, monkeypatch, lacks, refused
):
    theme = tmp_path / "theme" / bundle.THEME / "layout.html"
    theme.parent.mkdir(parents=True)
    blocks = {"css", "scripts", "body_tag", "scripts_end"} - {lacks}
    theme.write_text("".join(f"{{% block {name} %}}" for name in blocks), "utf-8")
    monkeypatch.setattr(bundle.importlib.resources, "files", lambda name: tmp_path)
    expected = pytest.raises(ValueError, match=f'layout.html has no block "{lacks}"')
    with expected if refused else contextlib.nullcontext():
        bundle.write_templates(tmp_path)
