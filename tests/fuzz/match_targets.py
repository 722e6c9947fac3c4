"""Targets of matches: files of games, stored tournaments, and what bots in processes of their own reply."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import mock

from german_whist.agents.process import agent as process_agent
from german_whist.agents.process.bot_process import MAX_LINE, BotError
from german_whist.evaluation.match import play_match
from tests.fuzz.contract import refused_or
from tests.fuzz.mutations import Rng, as_json, mutate_bytes, mutate_json

Case = Callable[[Rng], None]
AGENTS = ("greedy", "random")


def bots(folder: Path) -> Case:
    """Replies of a bot: a match to its end, in which a bad reply loses a deal."""

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
            refused_or(lambda: play_match("process:bot", "greedy", deals=2, rules="tiny"))

    return case
