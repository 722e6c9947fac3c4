"""``python -m german_whist``: the ``german-whist`` command."""

from german_whist.cli import run_program

run_program()
