"""Scripts in place of language models: what the list of legal actions is worth to them.

``python -m tests.envs.scripted_models`` measures them on 100 deals.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

import german_whist as gw

Model = Callable[[str, np.random.Generator], str]
SUITS, RANKS = "CDHS", "23456789TJQKA"


class Measured(NamedTuple):
    """What a model did in some deals."""

    illegal: float  # the share of its answers
    lost: int  # deals, by three illegal answers in a row
    regret: float  # tricks given away per card; a deal that is lost costs 13
    spread: float  # half the 95 % interval of the regret


def hand_in(text: str) -> list[str]:
    """The cards of the last table's hand, from the lowest rank to the highest."""
    rows = re.findall(r"^> You +(.*)$", text, re.MULTILINE)
    held = [suit + rank for suit, ranks in re.findall(rf"([{SUITS}]) ([{RANKS}]+)", rows[-1]) for rank in ranks]
    return sorted(held, key=lambda card: RANKS.index(card[1]))


def follows_suit(text: str, rng: np.random.Generator) -> str:
    """Play the lowest card of the suit led, else the lowest of the hand."""
    table, hand = text[text.rindex("German Whist  ") :], hand_in(text)
    led = re.findall(r"(\w)\w led", table)
    return next((card for card in hand if card[0] in led), hand[0])


def learns_from_refusals(text: str, rng: np.random.Generator) -> str:
    """Play any card of the hand, and follow suit after a refusal."""
    is_refused = "in a row" in text.rpartition("\n")[2]
    return follows_suit(text, rng) if is_refused else any_card(text, rng)


def reads_the_list(text: str, rng: np.random.Generator) -> str:
    """Play the last card listed; without a list, any card of the hand."""
    lists = re.findall(r"You may choose: (.*)\.", text)
    return lists[-1].split()[-1] if lists else any_card(text, rng)


def any_card(text: str, rng: np.random.Generator) -> str:
    """Play any card of the hand."""
    return str(rng.choice(hand_in(text)))


MODELS: tuple[Model, ...] = (follows_suit, learns_from_refusals, reads_the_list)


def measure(model: Model, *, list_legal: bool, deals: int, worlds: int) -> Measured:
    """Let a model play deals 0, 1, … of seed 2026 against ``heuristic``."""
    env = gw.TextEnv(reward="regret", worlds=worlds, illegal_penalty=0.0, list_legal=list_legal)
    given_away, illegal, lost = np.zeros(deals), list[bool](), 0
    for index in range(deals):
        rng, terminated = np.random.default_rng(index), False
        text, _ = env.reset(options={"deal": (2026, index)})
        while not terminated:
            message, reward, terminated, _, info = env.step(f"[{model(text, rng)}]")
            text += f"\n{message}"
            given_away[index] -= reward / 26
            illegal.append(info["illegal"])
        lost += info["illegal"]
    spread = 1.96 * float(given_away.std(ddof=1)) / deals**0.5
    return Measured(float(np.mean(illegal)), lost, float(given_away.mean()), spread)


if __name__ == "__main__":
    for model in MODELS:
        for list_legal in (True, False):
            measured = measure(model, list_legal=list_legal, deals=100, worlds=64)
            print(f"{model.__name__:20} list_legal={list_legal}: {measured}", flush=True)
