"""Targets of matches: files of games, stored tournaments, and what bots in processes of their own reply."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import mock

from german_whist.agents.process import agent as process_agent
from german_whist.agents.process.bot_process import MAX_LINE, BotError
from german_whist.arena.game_file import Header, match_config, read_sections, write_games
from german_whist.arena.games import GameBlock, LostGame
from german_whist.arena.match import play_match
from german_whist.arena.tournament.play import PAIRS_FOLDER, play_tournament
from tests.arena.sections import sealed, write_shard
from tests.fuzz.contract import BrokenError, command, refused_or
from tests.fuzz.mutations import Rng, as_json, mutate_bytes, mutate_json

Case = Callable[[Rng], None]
AGENTS = ("greedy", "random")


def games(folder: Path) -> Case:
    """Bytes, lines and fields of shards, of matches and series, and of stored results: refused, or the same results."""
    deals, matches = match_config(*AGENTS, "tiny", 5), match_config(*AGENTS, "tiny", 5, match="best_of:3")
    shards, series = (
        [write_shard(folder / f"{name}-{n}.jsonl", config, range(4), n, 2) for n in (1, 2)]
        for name, config in (("shard", deals), ("series", matches))
    )

    def merged(paths: list[Path]) -> str | None:
        return command(["merge", *map(str, paths), "--json"])

    def stored() -> Any:
        def play() -> Any:
            played = play_tournament(AGENTS, 4, 5, "tiny", folder=folder)
            return played.margins[0, 1].tolist(), played.forfeits

        return refused_or(play)

    wanted = [merged(shards), merged(series), stored()]
    groups = [shards, series, sorted((folder / PAIRS_FOLDER).glob("*.jsonl"))]
    originals = {path: path.read_bytes() for group in groups for path in group}

    def case(rng: Rng) -> None:
        for path, content in originals.items():
            path.write_bytes(content)
        kind = int(rng.integers(len(groups)))
        path = groups[kind][int(rng.integers(len(groups[kind])))]
        is_checked = rng.random() < 0.5
        lines = originals[path].decode().splitlines()
        place, other = (int(number) for number in rng.integers(len(lines), size=2))
        match int(rng.integers(5)):
            case 0:
                del lines[place : place + int(rng.integers(1, 9))]
            case 1:
                lines[place:place] = lines[other : other + int(rng.integers(1, 9))]
            case 2:
                lines[place], lines[other] = lines[other], lines[place]
            case 3:
                foreign = originals[list(originals)[int(rng.integers(len(originals)))]].decode().splitlines()
                lines[place:place] = foreign[int(rng.integers(1, len(foreign))) :]  # a whole match could be merged
            case _ if not is_checked:
                lines[place] = as_json(mutate_json(rng, json.loads(lines[place])))
        if not is_checked:
            path.write_text(sealed(lines), encoding="utf-8")
        elif rng.random() < 0.5:
            path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        else:
            path.write_bytes(mutate_bytes(rng, originals[path]))
        found = stored() if kind == 2 else merged(groups[kind])
        if is_checked and found is not None and found != wanted[kind]:
            raise BrokenError("other results were read in silence")

    return case


def bots(folder: Path) -> Case:
    """Replies of a bot: a match to its end, in which a bad reply loses a deal; its result can be kept in a file."""
    path = folder / "games.jsonl"
    config = match_config("process:bot", "greedy", "tiny")

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
            lost = [LostGame(one.deal, one.seat, one) for one in result.forfeits]  # the bot is the first agent
            write_games(path, Header(config, range(2)), GameBlock.of_deals(result.margins, 0, lost))
            if read_sections(path)[0].played.forfeits != list(result.forfeits):
                raise BrokenError("the forfeits in the file are others")

    return case
