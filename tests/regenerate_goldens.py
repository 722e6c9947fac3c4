"""Rewrites the golden playthroughs: ``python -m tests.regenerate_goldens``. Review the difference afterwards."""

from __future__ import annotations

from german_whist.envs.engine.rules import rule_names
from tests.golden import path_of, playthrough


def main() -> None:
    for preset in rule_names():
        path_of(preset).write_text(playthrough(preset), encoding="utf-8")
        print(path_of(preset))


if __name__ == "__main__":
    main()
