"""Files of games for tests: written as shards are, or changed under a right checksum."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from german_whist.arena.game_file import Header, MatchConfig, Section, read_sections, write_games
from german_whist.arena.games import Shard, games, joined, two_players


def write_shard(path: Path, config: MatchConfig, whole: range, number: int = 1, count: int = 1) -> Path:
    """Play a shard of a match and write it to a file."""
    players, shard = two_players(config.first, config.second, config.rules), Shard(number, count)
    own = [shard.of(whole)]
    played = games(players, config.rules, config.seed, own, match=config.match, endgame=config.endgame)
    write_games(path, Header(config, whole, shard), joined(played))
    return path


def read_section(path: Path) -> Section:
    """Return the only section of a file."""
    (section,) = read_sections(path)
    return section


def sealed(lines: list[str]) -> str:
    """Return the text of one section with the checksum of its lines, of which the last is replaced."""
    text = "".join(f"{line}\n" for line in lines[:-1])
    return text + json.dumps({"sha256": hashlib.sha256(text.encode()).hexdigest()}) + "\n"


def change_line(path: Path, number: int, **fields: Any) -> Path:
    """Change fields of a line, counted from 1, of a file with one section; ``...`` removes a field."""
    lines = path.read_text().splitlines()
    changed = {**json.loads(lines[number - 1]), **fields}
    lines[number - 1] = json.dumps({name: value for name, value in changed.items() if value is not ...})
    path.write_text(sealed(lines))
    return path
