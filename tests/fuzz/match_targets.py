"""Targets of matches: files of parts, stored tournaments, and what bots in processes of their own reply."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import mock

from german_whist.agents.process import agent as process_agent
from german_whist.agents.process.bot_process import MAX_LINE, BotError
from german_whist.arena.match import play_match
from german_whist.arena.parts.match_part import MatchPart, read_parts, write_parts
from german_whist.arena.parts.play import match_meeting, play_shard
from german_whist.arena.parts.shards import Shard
from german_whist.arena.tournament.play import PAIRS_FOLDER, play_tournament
from tests.arena.part_files import sealed
from tests.fuzz.contract import BrokenError, command, refused_or
from tests.fuzz.mutations import Rng, as_json, mutate_bytes, mutate_json

Case = Callable[[Rng], None]
AGENTS = ("greedy", "random")


def parts(folder: Path) -> Case:
    """Shards of matches and series, and stored results: refused, or the same results."""
    meeting = match_meeting(*AGENTS, "tiny", 5)
    shards = [folder / f"shard-{number}.json" for number in (1, 2)]
    series = [folder / f"series-{number}.json" for number in (1, 2)]
    for number in (1, 2):
        write_parts(shards[number - 1], [play_shard(meeting, 0, 4, Shard(number, 2))])
        write_parts(series[number - 1], [play_shard(meeting, 0, 4, Shard(number, 2), "best_of:3")])

    def merged(paths: list[Path]) -> str | None:
        return command(["merge", *map(str, paths), "--json"])

    def stored() -> Any:
        def play() -> Any:
            played = play_tournament(AGENTS, 4, 5, "tiny", folder=folder)
            return played.margins[0, 1].tolist(), played.forfeits

        return refused_or(play)

    wanted = [merged(shards), merged(series), stored()]
    groups = [shards, series, sorted((folder / PAIRS_FOLDER).glob("*.json"))]
    originals = {path: path.read_bytes() for group in groups for path in group}

    def case(rng: Rng) -> None:
        for path, content in originals.items():
            path.write_bytes(content)
        kind = int(rng.integers(len(groups)))
        path = groups[kind][int(rng.integers(len(groups[kind])))]
        is_checked = rng.random() < 0.5
        if is_checked:
            path.write_bytes(mutate_bytes(rng, originals[path]))
        else:
            content = sealed(mutate_json(rng, json.loads(originals[path])))
            path.write_text(as_json(content), encoding="utf-8")
        found = stored() if kind == 2 else merged(groups[kind])
        if is_checked and found is not None and found != wanted[kind]:
            raise BrokenError("other results were read in silence")

    return case


def bots(folder: Path) -> Case:
    """Replies of a bot: a match to its end, in which a bad reply loses a deal; its result can be kept in a file."""
    path = folder / "part.json"
    meeting = match_meeting("process:bot", "greedy", "tiny")

    def case(rng: Rng) -> None:
        class Bot:
            """A bot without a process, whose lines are mutated now and then."""

            def __init__(self, words: list[str]) -> None:
                pass

            def ask(self, line: bytes, seconds: float) -> bytes:
                message = json.loads(line)
                reply: dict[str, Any] = {"type": "ready", "protocol": 1}
                if message["type"] == "act":
                    reply = {"id": message["id"], "action": message["view"]["legal"][0]}
                if rng.random() < (0.1 if "type" in reply else 0.5):
                    is_json = rng.random() < 0.5
                    answer = as_json(mutate_json(rng, reply)).encode() if is_json else b""
                    answer = answer or mutate_bytes(rng, as_json(reply).encode())
                else:
                    answer = as_json(reply).encode()
                answer = answer.partition(b"\n")[0]
                if len(answer) > MAX_LINE:
                    raise BotError("it printed a long line")
                return answer + b"\n"

            def end(self) -> None:
                pass

        with mock.patch.object(process_agent, "BotProcess", Bot):
            result = refused_or(lambda: play_match("process:bot", "greedy", 2, rules="tiny"))
        if result is not None:
            write_parts(path, [MatchPart(meeting, 0, 2, 0, result.margins, forfeits=result.forfeits)])
            if read_parts(path)[0].forfeits != result.forfeits:
                raise BrokenError("the forfeits in the file are others")

    return case
