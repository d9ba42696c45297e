"""The commands: ``python -m ledgerbook COMMAND``."""
