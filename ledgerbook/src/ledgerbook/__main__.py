"""``python -m ledgerbook COMMAND``."""

import sys

from ledgerbook.commands import cli

if __name__ == "__main__":
    sys.exit(cli.main())
