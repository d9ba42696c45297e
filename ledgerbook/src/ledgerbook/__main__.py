"""``python -m ledgerbook COMMAND``."""

import sys

from ledgerbook import cli

if __name__ == "__main__":
    sys.exit(cli.main())
