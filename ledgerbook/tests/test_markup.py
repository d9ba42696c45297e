"""Templates: text is escaped but in Markdown, and a name that nobody gave is an error."""

import jinja2
import pytest
from ledgerbook.project import markup


@pytest.mark.parametrize(("name", "text"), [("a.md.jinja", "<1>"), ("a.html.jinja", "&lt;1&gt;")])
def test_text_is_escaped_but_in_markdown(tmp_path, name, text):
    (tmp_path / name).write_text("{{ number }}\n", encoding="utf-8")
    assert markup.render(name, tmp_path, number="<1>") == text
    with pytest.raises(jinja2.UndefinedError):
        markup.render(name, tmp_path)


def test_a_question_folds_its_answer_and_names_its_choices():
    block = markup.question("q-1", "**Q**", "What?", "That.", ["a", "b"], "b")
    assert block == (
        "::::{container} question\n:name: q-1\n\n**Q**\n\nWhat?\n\n"
        ":::{dropdown} Answer\nThat.\n:::\n\n```{raw} html\n"
        '<span hidden class="choices" data-right="b" data-choices="a b"></span>\n```\n::::'
    )
