"""A folder of the site that a module of the companion writes: ``computed MODULE FOLDER``.

What such a module imports and compiles costs seconds, which are nobody else's here.
"""

import importlib
import sys
from pathlib import Path

if __name__ == "__main__":
    importlib.import_module(sys.argv[1]).write(Path(sys.argv[2]))
