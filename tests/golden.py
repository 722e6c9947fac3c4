"""Golden playthroughs: one deal of every preset, step by step as text, in ``tests/simulator/golden``.

They show any change of the engine's behaviour as a readable difference. A fixed hash picks among the legal actions, so
only the rules and the shuffle determine the text. ``python -m tests.golden`` rewrites the files; review the difference.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import numpy as np

from german_whist.game.cards import SUITS, hand_text
from german_whist.game.rules import rule_names, rules
from german_whist.game.scoring import REWARDS
from german_whist.simulator.batch import DealBatch
from german_whist.simulator.observation.full_state import full_states
from tests.reference.plain import NAMES, actions, number

FOLDER = Path(__file__).parent / "simulator" / "golden"
SEED, INDEX = 7, 3

_ASKED = ("play a card", "pick an open card", "pick after the winner", "take or leave", "keep or swap")
_HANDS = ("played_self", "played_opponent", "opponent_known", "own_known", "unseen", "face_up", "discarded")
_SCALARS = ("stock", "dealer", "turn", "choice", "exchanged_self", "exchanged_opponent", "all_count", "draft", "race")


def path_of(preset: str) -> Path:
    """The file with the playthrough of a preset."""
    return FOLDER / f"{preset}.txt"


def playthrough(preset: str) -> str:
    """The log of a deal of a preset: settings, deck, each position with both views, and returns."""
    game_rules = rules(preset)
    batch = DealBatch(game_rules, 1, SEED, INDEX)
    state = batch.states[0]
    settings = ", ".join(f"{field}={value}" for field, value in game_rules.to_dict().items())
    deck = " ".join(NAMES[card] for card in state["deck"][: len(game_rules.cards)])
    lines = [f"{preset}: {settings}", f"seed {SEED}, deal {INDEX}, dealer {state['dealer']}", f"deck {deck}"]
    step = 0
    while not batch.done[0]:
        legal = sorted(actions(batch.legal()[0], game_rules), key=number)
        chosen = legal[_draw(preset, step) % len(legal)]
        lines += ["", f"step {step}", *_position(batch), f"legal {' '.join(legal)}", f"seat {state['turn']}: {chosen}"]
        batch.step([number(chosen)])
        step += 1
    lines += ["", "done", *_position(batch)]
    lines += [f"{reward}: {' '.join(map(str, batch.returns(reward)[0].tolist()))}" for reward in REWARDS]
    return "\n".join(lines) + "\n"


def _draw(preset: str, step: int) -> int:
    return int.from_bytes(hashlib.sha256(f"{preset} {step}".encode()).digest()[:4], "big")


def _digest(vector: np.ndarray[Any, Any]) -> str:
    return hashlib.sha256(vector.tobytes()).hexdigest()[:16]


def _suit(suit: int) -> str:
    return SUITS[suit] if suit >= 0 else "none"


def _card(card: int) -> str:
    return NAMES[card] if card >= 0 else "-"


def _by_suit(numbers: np.ndarray[Any, Any]) -> str:
    return " ".join(map(str, numbers.tolist()))


def _position(batch: DealBatch) -> list[str]:
    """The full state of a position, then both views without what they repeat of it."""
    state, rules = batch.states[0], batch.rules
    pile = [NAMES[card] for card in state["deck"][state["top"] : len(rules.cards)]]
    lines = [
        f"  asks seat {state['turn']} to {_ASKED[state['decision']]}; led {_card(state['led'])}, "
        f"trump {_suit(state['trump'])}, low {state['low']}, last winner {state['winner']}, "
        f"tricks {state['tricks'][:, 0].tolist()} {state['tricks'][:, 1].tolist()}, drawn {state['drawn'].tolist()}",
        f"  open {hand_text(int(state['face_up']))} face-down {' '.join(pile) or '-'}",
    ]
    for seat in (0, 1):
        parts = [f"{name} {hand_text(int(state[name][seat]))}" for name in ("known", "discarded") if state[name][seat]]
        if state["void_trick"][seat].any():
            parts.append(f"void {_by_suit(state['void_trick'][seat])} after {_by_suit(state['void_drawn'][seat])}")
        lines.append(f"  seat {seat}: {', '.join([hand_text(int(state['hands'][seat])), *parts])}")
    lines.append(f"  state vector {_digest(full_states(rules, batch.states))}")
    for seat in (0, 1):
        lines += _view(batch, seat)
    return lines


def _view(batch: DealBatch, seat: int) -> list[str]:
    """What a seat knows, without empty sets and zeros."""
    view = batch.views(seats=[seat])[0]
    sets = [f"{name} {hand_text(int(view[name]))}" for name in _HANDS if view[name]]
    voids = [
        f"{name} {_by_suit(view[name])}"
        for name in ("void_self", "drawn_self", "void_opponent", "drawn_opponent")
        if view[name].any()
    ]
    numbers = [f"{name} {view[name]}" for name in _SCALARS if view[name]]
    tricks = f"tricks {view['tricks_self'].tolist()} {view['tricks_opponent'].tolist()}"
    table = f"led {_card(view['led'])}, trump {_suit(view['trump'])}, low {view['low']}"
    digest = _digest(batch.observe(seats=[seat]))
    return [
        f"  view {seat}: hand {hand_text(int(view['hand']))}, {', '.join([*sets, *voids])}",
        f"    {', '.join([tricks, table, *numbers])}, observation {digest}",
    ]


if __name__ == "__main__":
    for name in rule_names():
        path_of(name).write_text(playthrough(name), encoding="utf-8")
        print(path_of(name))
