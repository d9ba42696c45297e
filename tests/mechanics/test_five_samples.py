"""The running example has the teams, the order and the odds that the text names."""

import json
import re

import numpy as np
import pytest
from ledgerbook.project.project import current

from lib.mechanics.attention_layer import attention
from lib.mechanics.five_samples import LABELS, SEQUENCES, five_samples
from lib.mechanics.problem import Problem
from lib.mechanics.token_priority_graph import priority_graphs


def test_the_chapter_names_the_samples_one_by_one():
    text = (current().book / "mechanics/token_priority_graph.ipynb").read_text(encoding="utf-8")
    told = [
        f"{''.join(map(str, tokens))}\\to{label}"
        for tokens, label in zip(SEQUENCES, LABELS, strict=True)
    ]
    words = "".join("".join(cell["source"]) for cell in json.loads(text)["cells"])
    assert re.findall(r"\$(\d+\\to\d)\$", words)[: len(told)] == told


def test_one_team_of_two_and_an_order_below_it():
    graph = priority_graphs(five_samples())[4]
    assert [tuple(members) for members in graph.components] == [(0, 1), (2,), (3,), (4,)]


def test_other_embeddings_give_the_same_odds():
    rng = np.random.default_rng(0)
    problem = Problem(five_samples(rng.normal(size=(5, 7))))
    mass = attention(problem.fin.W, problem.data)
    assert mass[1, 1] / mass[1, 0] == pytest.approx(2)


def test_the_direction_is_a_stair_of_steps_one():
    scores = Problem(five_samples()).svm.W[:, 4]
    assert np.allclose(scores, [1.2, 1.2, 0.2, -0.8, -1.8])


def test_inside_the_team_attention_splits_as_the_votes_did():
    problem = Problem(five_samples())
    mass = attention(problem.fin.W + 50 * problem.svm.W, problem.data)
    assert mass[0, :2] == pytest.approx([1 / 3, 2 / 3])
    assert mass[2, 2] == pytest.approx(1) and mass[4, 3] == pytest.approx(1)
