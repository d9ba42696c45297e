"""The authors' observables of one W, each as it is defined."""

import numpy as np

from lib.mechanics.attention_layer import attention
from lib.mechanics.descent import cosine
from lib.mechanics.token_priority_graph import project


def seen(problem, W):
    """The observables of ``lib.mechanics.compiled_descent.observe_trial`` at W (d, d)."""
    svm, fin, split = problem.svm, problem.fin, problem.split
    part = project(split.finite_basis, W)
    return {
        "norm": np.linalg.norm(W),
        "cosine": cosine(W, svm.W),
        "outer": cosine(W - part, svm.W),
        "ridge": cosine(W, fin.W + (W * svm.W).sum() / svm.norm**2 * svm.W),
        "mass": (attention(W, problem.data) * split.inside).sum(axis=1).mean(),
    }
