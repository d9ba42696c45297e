"""What ``make`` installs first."""

import json

import pytest

from tooling import install


@pytest.mark.parametrize(
    "asked, wanted",
    [(["numpy", "nvidia-cublas==13"], True), (["cuda-bindings"], True), (["numpy"], False)],
)
def test_a_torch_that_asks_for_cuda_is_told_from_one_that_does_not(tmp_path, asked, wanted):
    python = tmp_path / "python"
    python.write_text(f"#!/bin/sh\necho '{json.dumps(asked)}'\n", encoding="utf-8")
    python.chmod(0o755)
    assert install.wants_cuda(python) is wanted
