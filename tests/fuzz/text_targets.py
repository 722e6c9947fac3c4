"""The target of the environment of messages: what a model answers, and what a program makes and resets it with."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import german_whist as gw
from german_whist.text_env import REWARDS, TRIES
from tests.fuzz.contract import BrokenError, refused_or
from tests.fuzz.mutations import HOSTILE_VALUES, Rng, mutate_json, mutate_text

Case = Callable[[Rng], None]

GAMES = ("tiny", "draft", "humbug")  # cards, one of two actions, and both
CARDS = ["[SA]", "HT", "10♥", "♠️A", "ace of spades", "[king of clubs]", "six of diamonds", "[take]", "keep", "a 9"]
NOISE = [
    *("[", "]", "[[", "[]", "\\u005b", "\n", "\r", "\t", "\0", "\x1b[2J", "\x1b]0;x\x07", "\x9b1m", "\u2028", "\ud800"),
    *(
        "\u202e",
        "\ufeff",
        "é" * 300,
        "🂡",
        "e\u0301" * 50,
        "<think>",
        "</think>",
        '{"action": "SA"}',
        "of ",
        "- " * 2000,
    ),
    *("[" * 20_000, "A" + " " * 20_000, "S_" * 10_000, "ace of " * 5_000, "[SA" * 5_000, "9" * 5_000, "take " * 5_000),
]
# Capitals and small letters of these differ from those that they match.
LOOK_ALIKES = str.maketrans("kis", "\u212a\u0130\u017f")
NO_TEXTS = [*(value for value in HOSTILE_VALUES if not isinstance(value, str)), b"SA", ("SA",), object()]
ARGUMENTS: dict[str, Any] = {"rules": "tiny", "opponent": "greedy", "reward": "win", "seat": "alternate", "worlds": 2}
OPTIONS: dict[str, Any] = {"deal": [3, 1], "dealer": 1, "deck": "SA SK SQ SJ"}


def messages(folder: Path) -> Case:
    """Answers, arguments and resets: refused, or a message without control characters and a deal that goes on."""
    made = [gw.TextEnv(game, "greedy", reward=reward, worlds=2) for game in GAMES for reward in REWARDS]
    for env in made:  # compiles, which no case may have to pay for
        env.reset(seed=0)
        while env.legal:
            env.step(env.legal[0])

    def answers(rng: Rng) -> None:
        env = made[int(rng.integers(len(made)))]
        _checked(env.reset(seed=int(rng.integers(1000))))
        refused = 0
        while legal := env.legal:
            if rng.random() < 0.2:
                value = NO_TEXTS[int(rng.integers(len(NO_TEXTS)))]
                if refused_or(lambda value=value: env.step(value)) is not None or env.legal != legal:
                    raise BrokenError(f"{value!r:.50} was taken for an answer")
            named = str(rng.choice(legal)) if rng.random() < 0.7 else None
            noise = _noise(rng)
            answer = noise if named is None else f"{noise} [{named}]"
            step = refused_or(lambda answer=answer: env.step(answer))
            if step is None:
                raise BrokenError(f"{answer!r:.200} was refused by an error")
            message, reward, done, info = step
            _checked(message)
            refused = refused + 1 if info["illegal"] else 0
            # Noise may hold an answer of another form, which counts; with another card in brackets, none counts.
            if named is not None and not set("{<[") & set(noise) and info["action"] not in (named, None):
                raise BrokenError(f"{answer!r:.200} was read as {info['action']}, not {named}")
            if not info["illegal"] and info["action"] not in legal:
                raise BrokenError(f"{info['action']} was played, and is not legal")
            if not math.isfinite(reward) or done != (env.legal == []) or (refused == TRIES) > done:
                raise BrokenError(f"reward {reward}, done {done} after {refused} refused answers")

    def arguments(rng: Rng) -> None:
        given = dict(ARGUMENTS)
        for _ in range(int(rng.integers(1, 3))):
            name = str(rng.choice(list(given)))
            given[name] = mutate_text(rng, str(given[name])) if rng.random() < 0.5 else _hostile(rng)
        env = refused_or(lambda: gw.TextEnv(**given))
        if env is not None and refused_or(lambda: env.reset(seed=1)) is not None:
            _checked(env.prompt())
            refused_or(lambda: env.step(f"[{env.legal[0]}]"))

    def resets(rng: Rng) -> None:
        env = made[int(rng.integers(len(GAMES)))]
        before = env.reset(seed=int(rng.integers(1000)))
        options = mutate_json(rng, {key: OPTIONS[key] for key in OPTIONS if rng.random() < 0.5})
        seed = _hostile(rng) if rng.random() < 0.5 else None
        message = refused_or(lambda: env.reset(seed=seed, options=options))
        if message is None and env.prompt() != before:
            raise BrokenError("a refused reset has changed the deal")
        _checked(before if message is None else message)

    cases = (answers, answers, arguments, resets)
    return lambda rng: cases[int(rng.integers(len(cases)))](rng)


def _noise(rng: Rng) -> str:
    parts = [str(rng.choice(NOISE if rng.random() < 0.5 else CARDS)) for _ in range(int(rng.integers(1, 6)))]
    text = str(rng.choice([" ", ""])).join(parts)
    match int(rng.integers(4)):
        case 0:
            return text.translate(LOOK_ALIKES)
        case 1:
            return mutate_text(rng, text.encode(errors="replace").decode())
        case _:
            return text


def _hostile(rng: Rng) -> Any:
    return HOSTILE_VALUES[int(rng.integers(len(HOSTILE_VALUES)))]


def _checked(message: str) -> None:
    if not message.replace("\n", "").isprintable():
        raise BrokenError(f"a message would steer a terminal: {message!r:.300}")
