"""How agents are asked: :func:`ask` for decisions, and :func:`play`, the one loop that asks and steps."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from german_whist.agents.base import Actions, Agent, agent_name
from german_whist.game.cards import NUM_CARDS, card_text, cards_of

if TYPE_CHECKING:
    from german_whist.game.agent_rng import AgentRng
    from german_whist.game.utils.backend import Array, Device, Numbers
    from german_whist.simulator.decisions import Decisions
    from german_whist.simulator.episode import Episode
    from german_whist.simulator.episodes import Episodes


def check_device(agent: Agent, device: Device) -> None:
    """Refuse an agent that uses histories on a device, where they are not kept.

    Raises:
        ValueError: if it does, and the device is not ``None``.
    """
    if device is not None and agent.uses_histories:
        raise ValueError(
            f"agent {agent_name(agent)!r} uses histories, which are not kept on a device: leave device={device!r} out"
        )


def play(
    episodes: Episodes | Episode,
    agents: Sequence[Agent | None],
    seats: Array | int = 0,
    rng: Callable[[int, Any], AgentRng] | None = None,
) -> Iterator[None]:
    """Let agents act until none of them is to act, and yield after each of their turns.

    What the caller does in between is seen: it may start episodes again where they are over.

    Args:
        episodes: the deals.
        agents: two agents; ``None`` for one that acts elsewhere, such as a learner.
        seats: the seat of the first agent in each row, int[size], or one for all; the second has the other.
        rng: makes the random numbers of an agent, by its number and rows; by default they follow from deal and ply.

    Raises:
        ValueError: if an agent does not return one legal action per decision; the message names agent and deal.
    """
    deals: Any = episodes
    is_waiting = True
    while is_waiting:
        is_waiting = False
        for number, agent in enumerate(agents):
            if agent is None:
                continue
            rows = deals.to_act(seats, number)
            if len(rows):
                numbers = None if rng is None else lambda rows, number=number: rng(number, rows)
                deals.step(rows, ask(agent, deals.decisions(rows, numbers)))
                is_waiting = True
                yield


def ask(agent: Agent, decisions: Decisions[Any]) -> Array:
    """Return an agent's actions, int64[n], on the decisions' device.

    Agents that take no tensors are asked on the host, and what they answer is checked there.

    Raises:
        ValueError: if the agent does not return one legal action per decision; the message names the agent.
    """
    if decisions.backend.torch_device is None:
        return checked(agent, agent.act(decisions), decisions)
    if agent.takes_tensors:
        return agent.act(decisions)
    on_host = decisions.on_host()
    actions: Array = decisions.backend.array(checked(agent, agent.act(on_host), on_host))
    return actions


def checked(agent: Agent, answer: Numbers, decisions: Decisions) -> Actions:
    """Return an agent's answer as int64[n], after checking that each action is legal.

    Raises:
        ValueError: if it is not one legal action per decision.
    """
    given = np.asarray(answer)
    if given.shape != (len(decisions),) or given.dtype.kind not in "iu":
        raise ValueError(
            f"agent {agent_name(agent)!r} must return int64[{len(decisions)}], got {given.dtype}{list(given.shape)}"
        )
    actions = given.astype(np.int64, copy=False)
    row = _first_illegal(actions, decisions.views["legal"])
    if row >= 0:
        legal = cards_of(int(decisions.views["legal"][row]))
        allowed = [card_text(action) if action < NUM_CARDS else action for action in legal]
        deal = decisions.describe(row)
        raise ValueError(f"agent {agent_name(agent)!r} chose action {actions[row]}{deal}: legal are {allowed}")
    return actions


def _first_illegal(actions: Actions, legal: npt.NDArray[np.uint64]) -> int:
    """Return the first row whose action is not in its mask ``legal``; −1 if there is none."""
    if len(actions) == 1:  # environments of one deal: plain ints, because array operations take microseconds
        action = int(actions[0])
        return -1 if 0 <= action < 64 and int(legal[0]) >> action & 1 else 0
    # Imported here because light commands should not load compiled code.
    from german_whist.simulator.observation.view_kernels import next_illegal

    return int(next_illegal(actions, legal, 0))
