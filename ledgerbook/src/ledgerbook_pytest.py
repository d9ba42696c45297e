"""What pytest finds in every environment with ledgerbook: rows as tests, in a companion alone.

In any other project it reads a few ``pyproject.toml`` files above the working folder, and that is
all: no option, no import of the package.
"""

import os
import tomllib
from pathlib import Path
from typing import Any


def is_companion(start: Path) -> bool:
    """Whether the folder lies in a project with a table ``[tool.ledgerbook]``."""
    for folder in (start, *start.parents):
        try:
            described = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))
        except (OSError, ValueError):
            continue
        if "ledgerbook" in described.get("tool", {}):
            return True
    return False


def pytest_addoption(parser: Any, pluginmanager: Any) -> None:
    """Bring the plugin in where it has something to do."""
    if is_companion(Path(os.environ.get("LEDGERBOOK_PROJECT") or Path.cwd()).resolve()):
        pluginmanager.import_plugin("ledgerbook.rows.pytest_plugin")
