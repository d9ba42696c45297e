"""What pip builds this project with: setuptools, for ``pip install -e`` and nothing else.

``lib``, ``checks`` and ``tooling`` are names that another project may have too: beside its own they
would be one package of both, or neither.
"""

from setuptools.build_meta import (
    build_editable,
    get_requires_for_build_editable,
    prepare_metadata_for_build_editable,
)

__all__ = [
    "build_editable",
    "build_sdist",
    "build_wheel",
    "get_requires_for_build_editable",
    "prepare_metadata_for_build_editable",
]


def build_wheel(*rest, **options):
    """Refused: it would put ``lib``, ``checks`` and ``tooling`` among everybody's packages."""
    raise SystemExit("lib, checks and tooling are private to this folder: pip install -e FOLDER")


build_sdist = build_wheel
