"""Parts of every page: its style, and what is filled into a template."""

import jinja2
import pytest
from ledgerbook.project import markup
from ledgerbook.site import page_head, styles


@pytest.mark.parametrize(
    ("style", "left"),
    (
        (".a{x:1}.b{x:2}", ".a{x:1}"),
        (".b .a,.a>p:not(.b,.c){x:1}", ".a>p:not(.b,.c){x:1}"),
        ("@media print{.b{x:1}}p{x:2}", "p{x:2}"),
        ("@font-face{x:1}:is(.a,.b):hover{x:2}", "@font-face{x:1}:is(.a,.b):hover{x:2}"),
        (":root{--on:1;--off:2;--far:3}p{x:var(--on)}", ":root{--on:1;--far:3}p{x:var(--on)}"),
        (":root{--one:var(--two);--two:1}", ""),
    ),
)
def test_of_a_style_what_nothing_asks_for_is_gone(style, left):
    assert styles.shaken(style, {"a"}, {"--far"}) == left


@pytest.mark.parametrize(("name", "text"), [("a.md.jinja", "<1>"), ("a.html.jinja", "&lt;1&gt;")])
def test_text_is_escaped_but_in_markdown(tmp_path, name, text):
    (tmp_path / name).write_text("{{ number }}\n", encoding="utf-8")
    assert markup.render(name, tmp_path, number="<1>") == text
    with pytest.raises(jinja2.UndefinedError):
        markup.render(name, tmp_path)


def test_indents_go_but_from_code():
    page = "<p>a\n\n   b</p>\n  <pre>c\n\n  d</pre>\n\n<script>let e = `</pre>\n\n  f`</script>\n"
    less = "<p>a\nb</p>\n<pre>c\n\n  d</pre>\n<script>let e = `</pre>\n\n  f`</script>\n"
    assert page_head.squeezed(page) == less == page_head.squeezed(less)
