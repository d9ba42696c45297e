"""``make bench``: run the benchmarks, or those named on the command line."""

import importlib
import pkgutil
import sys

import benchmarks


def main(names):
    """Run ``main()`` of each benchmark module; an unknown name lists the known ones."""
    known = [
        module.name
        for module in pkgutil.iter_modules(benchmarks.__path__)
        if module.name != "__main__"
    ]
    for name in names:
        if name not in known:
            sys.exit(f"error: benchmark = {name!r}, allowed: one of {', '.join(known)}")
    for name in names or known:
        print(f"== {name}")
        importlib.import_module(f"benchmarks.{name}").main()


if __name__ == "__main__":
    main(sys.argv[1:])
