"""Agent base class and action checks."""

from __future__ import annotations

import inspect
import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from german_whist.game.cards import NUM_CARDS, card_text, cards_of
from german_whist.game.rules import Rules
from german_whist.game.rules import rules as get_rules
from german_whist.simulator.observation.views import Views
from german_whist.simulator.text.rules_text import rules_spec

if TYPE_CHECKING:
    from torch import Tensor

    from german_whist.game.utils.backend import StructTensor, TorchBackend
    from german_whist.simulator.batch import DealBatch
    from german_whist.simulator.episodes import Episodes

Actions = npt.NDArray[np.int64]
# Event histories as ``DealBatch.history`` returns them: tokens int8[n, events, 4], and the number of events, int16[n].
Histories = tuple[npt.NDArray[np.int8], npt.NDArray[np.integer[Any]]]

OBSERVATION_FORM = ["observations", "action_masks"]


class Evaluation(NamedTuple):
    """What positions are worth to the seats to act.

    Attributes:
        margin: expected margin of the deal in counted tricks, float64[n]. More is better, even in a low game.
        win: chance to win the deal, a draw counting half, float64[n].
    """

    margin: npt.NDArray[np.float64]
    win: npt.NDArray[np.float64]


class ActionValues(NamedTuple):
    """The legal actions of n views, each compared with the chosen one; float64[n, 54], NaN for illegal actions.

    Attributes:
        actions: the chosen actions, int64[n].
        margin_gains: gain in margin over the chosen action.
        margin_sds: its standard deviation.
        win_gains: gain in the chance to win the deal, a draw counting half; NaN throughout if only margins are known.
        win_sds: its standard deviation.
    """

    actions: Actions
    margin_gains: npt.NDArray[np.float64]
    margin_sds: npt.NDArray[np.float64]
    win_gains: npt.NDArray[np.float64]
    win_sds: npt.NDArray[np.float64]


class Games:
    """The games that an agent acts in, one per view, as far as it may ask."""

    def __init__(
        self,
        histories: Callable[[], Histories] | None = None,
        ids: Callable[[], npt.NDArray[np.object_]] | None = None,
    ) -> None:
        """Keep the functions that return histories and ids; ``None`` if the caller has none."""
        self._histories, self._ids = histories, ids

    def histories(self) -> Histories:
        """Return the event histories of the seats to act, as ``DealBatch.history`` does.

        Returns:
            Tokens int8[n, events, 4], and the number of events of each deal, int16[n].

        Raises:
            ValueError: if the caller keeps no histories.
        """
        if self._histories is None:
            raise ValueError("histories are not kept here: this agent plays in matches, environments and at the table")
        return self._histories()

    def ids(self) -> npt.NDArray[np.object_]:
        """Return an opaque key for each view, object[n], the same at every decision of a seat in a game.

        With these keys an agent can store a state per game, such as that of a recurrent network. Callers drop a key
        with its game, so a ``weakref.WeakKeyDictionary`` forgets finished games. A new key can appear in the middle of
        a deal, for example when a person takes a card back; the histories tell what happened before.

        Raises:
            ValueError: if the views are single positions, not part of games.
        """
        if self._ids is None:
            raise ValueError("these positions are not part of games: an agent that keeps a state cannot be asked here")
        return self._ids()

    def rows(self, rows: Any) -> Games:
        """Return the games of some rows, int64[k] or bool[n]."""

        def histories() -> Histories:
            tokens, lengths = self.histories()
            return tokens[rows], lengths[rows]

        return Games(histories, lambda: self.ids()[rows])

    def relabeled(self, relabeling: npt.NDArray[np.int8]) -> Games:
        """Return the same games with canonical histories, by the views' relabeling, int8[n, 108]."""
        from german_whist.simulator.observation.history_kernels import relabel_histories  # compiled code

        def histories() -> Histories:
            tokens, lengths = self.histories()
            tokens = tokens.copy()
            relabel_histories(len(tokens), relabeling, lengths, tokens)
            return tokens, lengths

        return Games(histories, self.ids)


class SupportsAct(Protocol):
    """Any object with a method ``act``; :func:`as_agent` makes an :class:`Agent` of it.

    The names of its parameters decide what ``act`` gets: ``act(views, rng)`` or ``act(observations, action_masks)``.
    """

    def act(self, seen: Any, other: Any, /) -> Any:
        """Return one legal action per decision, int64[n]."""
        ...


AgentLike: TypeAlias = "str | os.PathLike[str] | Agent | SupportsAct | Mapping[AgentLike, float]"
"""A specification string, the path of a checkpoint, an agent object, or agents' shares of the deals."""


class Agent(ABC):
    """Chooses actions for a batch of views.

    A subclass must define ``act``; everything else has a default. Objects that are not an ``Agent`` can play, too, if
    they have ``act(views, rng)`` or ``act(observations, action_masks)``; the other attributes and methods are optional
    for them. With the second form, ``act``, ``policy`` and ``values`` get observations int8[n, n_obs], as
    :func:`german_whist.observe` writes them for the object's ``rules`` (by default those of the deals), and masks
    bool[n, n_actions]. With an attribute ``canonical = True``, these observations, masks, actions and histories are
    those of :func:`german_whist.canonical_views`.

    Attributes:
        name: what results call the agent; by default the name of its class.
        rules: the rules of the one game that it plays: deals of other games are refused before the first card.
            ``None`` if it plays every game.
        uses_games: whether it is called as ``act(views, rng, games)``. :class:`Games` gives it histories, and keys to
            store a state per game.
    """

    name: str = ""
    rules: Rules | None = None
    uses_games: bool = False

    @abstractmethod
    def act(self, views: Views, rng: Any) -> Actions:
        """Return one legal action per view.

        Args:
            views: structured array of dtype ``VIEW`` and shape (n,): the knowledge of each of n seats to act.
            rng: source of randomness with ``random(size)`` and ``integers(low, high, size)`` as in
                ``numpy.random.Generator``; the first dimension of ``size`` is n, one row per view. An agent that draws
                from nothing else plays the same in any batch size. ``rng.rows(mask)`` is that of some views, to ask
                another agent about these. Agents that use no randomness accept ``None``.

        Returns:
            int64[n], each an action whose bit is set in ``views["legal"]``.
        """

    def act_on(self, device: TorchBackend, views: StructTensor, rng: Any) -> Tensor:
        """Return one legal action per view, int64[n], for views in tensors on a device.

        By default the views are copied to the host for ``act``. Networks and rule bots choose on the device instead.

        Args:
            device: where the views are.
            views: n records of ``VIEW``.
            rng: as for ``act``.

        Raises:
            ValueError: if ``act`` does not return one legal action per view.
        """
        import torch

        on_host = views.bytes.cpu().numpy().view(views.dtype)[:, 0]
        return torch.from_numpy(ask_views(self, on_host, rng)).to(device.torch_device)

    def policy(self, views: Views) -> npt.NDArray[np.float64] | None:
        """Return the probability with which ``act`` plays each action, float64[n, actions]; ``None`` if not known.

        For an agent that draws random numbers, it makes ``exploitability`` exact.
        """
        return None

    def values(self, views: Views) -> Evaluation | None:
        """Return the values of the positions to the seats to act; ``None`` if unknown."""
        return None

    def action_values(self, views: Views, rng: Any, histories: Histories | None = None) -> ActionValues | None:
        """Return the value of each legal action in views with hidden cards; ``None`` if not known.

        Args:
            views: ``VIEW`` array of shape (n,).
            rng: as for ``act``.
            histories: event histories of these views, for an agent that reads them.
        """
        return None

    @property
    def network(self) -> Any:
        """The ``PolicyAgent`` of the network that it plays, even inside a search or exact endgame; ``None`` if none."""
        return None

    def __repr__(self) -> str:
        game = "" if self.rules is None else f", rules={rules_spec(self.rules)!r}"
        return f"{type(self).__name__}({self.name!r}{game})"


class _Wrapped(Agent):
    """Makes an agent of an object with ``act``. Only this class looks for its optional attributes."""

    def __init__(self, wrapped: Any, rules: Rules | None) -> None:
        self.wrapped = wrapped
        self.name = str(getattr(wrapped, "name", type(wrapped).__name__))
        own = getattr(wrapped, "rules", None)
        self.rules = None if own is None else get_rules(own)
        self.uses_games = bool(getattr(wrapped, "uses_games", False))

    def act(self, views: Views, rng: Any, *games: Any) -> Actions:
        actions: Actions = self.wrapped.act(views, rng, *games)
        return actions

    def policy(self, views: Views) -> npt.NDArray[np.float64] | None:
        found: npt.NDArray[np.float64] | None = self._asked("policy", views)
        return found

    def values(self, views: Views) -> Evaluation | None:
        found: Evaluation | None = self._asked("values", views)
        return found

    def _asked(self, method: str, *inputs: Any) -> Any:
        found = getattr(self.wrapped, method, None)
        # A torch module may have a submodule of this name, which is callable but not a method.
        return found(*inputs) if inspect.isroutine(found) else None


class _WrappedOnObservations(_Wrapped):
    """Makes an agent of an object with ``act(observations, action_masks)``, canonical ones if it asks for them."""

    rules: Rules

    def __init__(self, wrapped: Any, rules: Rules | None) -> None:
        super().__init__(wrapped, rules)
        self.rules = self.rules or rules or get_rules("classic")
        self.canonical = bool(getattr(wrapped, "canonical", False))

    def act(self, views: Views, rng: Any, *games: Any) -> Actions:
        inputs, relabeling = self._seen(views)
        if relabeling is None:
            actions: Actions = self.wrapped.act(*inputs, *games)
            return actions
        actions = self.wrapped.act(*inputs, *(its.relabeled(relabeling) for its in games))
        from german_whist.simulator.observation.canonical import decode_actions

        return decode_actions(actions, relabeling)

    def policy(self, views: Views) -> npt.NDArray[np.float64] | None:
        inputs, relabeling = self._seen(views)
        found: npt.NDArray[np.float64] | None = self._asked("policy", *inputs)
        if found is None or relabeling is None:
            return found
        from german_whist.simulator.observation.canonical import decode_values

        return decode_values(np.asarray(found), relabeling)

    def values(self, views: Views) -> Evaluation | None:
        found: Evaluation | None = self._asked("values", *self._seen(views)[0])
        return found

    def _seen(self, views: Views) -> tuple[tuple[Any, Any], npt.NDArray[np.int8] | None]:
        """Return observations and masks, and for canonical ones the relabeling that undoes them."""
        # Compiled code: loaded only when needed.
        from german_whist.simulator.observation.canonical import canonical_views
        from german_whist.simulator.observation.vector import action_mask, observe

        seen, relabeling = canonical_views(views) if self.canonical else (views, None)
        return (observe(seen, self.rules), action_mask(seen, self.rules)), relabeling


def agent_name(agent: Agent) -> str:
    """Return what to call an agent: its ``name``, or else its class."""
    return agent.name or type(agent).__name__


def as_agent(agent: Agent | SupportsAct, rules: Rules | None = None) -> Agent:
    """Return an :class:`Agent`.

    Args:
        agent: an :class:`Agent`, or an object with ``act(views, rng)`` or ``act(observations, action_masks)``;
            ``make_agent`` takes names and shares, too.
        rules: the rules of the deals; ``None`` if they are not known here.

    Raises:
        ValueError: if it has no method ``act`` of one of these forms, or plays other rules than these.
    """
    if isinstance(agent, type) or not callable(getattr(agent, "act", None)):
        raise ValueError(
            "an agent must be a name or an object with act(views, rng) or act(observations, action_masks), "
            f"got {agent!r}"
        )
    names = [*inspect.signature(agent.act).parameters][:2]
    if names == OBSERVATION_FORM:
        found: Agent = _WrappedOnObservations(agent, rules)
    elif any("obs" in name or "mask" in name for name in names):
        raise ValueError(f"act({', '.join(names)}): name the parameters observations, action_masks or views, rng")
    else:
        found = agent if isinstance(agent, Agent) else _Wrapped(agent, rules)
    if rules is not None and found.rules is not None and not found.rules.plays_like(rules):
        raise ValueError(
            f"agent {agent_name(found)!r} plays {rules_spec(found.rules)!r}, "
            f"but the deals are of {rules_spec(rules)!r}: make_agent(..., rules={rules_spec(rules)!r})"
        )
    return found


def check_device(agent: Agent, device: Any) -> None:
    """Refuse an agent that uses histories on a device, where they are not kept.

    Raises:
        ValueError: if it does, and the device is not ``None``.
    """
    if device is not None and agent.uses_games:
        raise ValueError(
            f"agent {agent_name(agent)!r} uses histories, which are not kept on a device: leave device={device!r} out"
        )


def play_turn(
    agent: Agent,
    episodes: Episodes,
    rows: Any,
    *,
    stream: int = 0,
    addresses: Any = None,
) -> None:
    """Ask an agent for its actions in rows where it is to act, and play them.

    On a device, networks and rule bots choose there, other agents on the host. The agent's random numbers depend only
    on the seed, the address, the number of actions played and the stream.

    Args:
        agent: the agent.
        episodes: the deals.
        rows: the rows, int64[k]; without any, the agent is not asked.
        stream: number of the agent's stream of random numbers; agents that play each other have one each.
        addresses: address of the random numbers in each row, uint64[k]; by default the index of its deal.

    Raises:
        ValueError: if the agent does not return one legal action per view; the message names agent and deal.
    """
    if not len(rows):
        return
    from german_whist.game.agent_rng import AgentRng  # compiled code: loaded only when needed

    seeds, deals, plies = episodes.seeds[rows], episodes.indices[rows], episodes.plies[rows]
    addresses = deals if addresses is None else addresses
    if episodes.batch.device is not None:
        seeds, deals, addresses = (
            episodes.backend.numpy(deal_bits).view(np.uint64) for deal_bits in (seeds, deals, addresses)
        )
        plies = episodes.backend.numpy(plies)
    rng = AgentRng(seeds, addresses, stream, plies)

    def where(row: int) -> str:
        return f" in deal {deals[row]} of seed {seeds[row]}"

    episodes.step(rows, ask(agent, episodes.batch, rows, rng, where))


def ask(agent: Agent, batch: DealBatch, rows: Any, rng: Any, where: Callable[[int], str] | None = None) -> Any:
    """Return an agent's actions in rows of a batch where it is to act, int64[k]; see :func:`ask_views`."""
    to_act = batch.backend.array(np.full(len(rows), -1))
    views = batch.views_unchecked(rows, to_act)
    if batch.device is not None:
        return agent.act_on(batch.backend, views, rng)
    games = None
    if agent.uses_games:
        log = batch.log
        games = Games(
            None if log is None else lambda: log.histories(batch.states, rows, to_act), lambda: batch.game_ids(rows)
        )
    return ask_views(agent, views, rng, games, where)


def ask_views(
    agent: Agent,
    views: Views,
    rng: Any,
    games: Games | None = None,
    where: Callable[[int], str] | None = None,
) -> Actions:
    """Return an agent's actions in some views, int64[n], after checking that each is legal.

    Args:
        agent: the agent.
        views: ``VIEW`` array of shape (n,), each of a seat to act.
        rng: source of randomness with one row of numbers per view.
        games: the games of the views, for an agent that asks for them (``uses_games``); ``None`` for others.
        where: returns the words that tell the deal of a row, for errors.

    Raises:
        ValueError: if the agent does not return one legal action per view; the message names the agent.
    """
    act: Any = agent.act
    answer = act(views, rng) if games is None else act(views, rng, games)
    actions = whole_answer(agent, answer, len(views))
    row = _first_illegal(actions, views["legal"])
    if row >= 0:
        deal = "" if where is None else where(row)
        legal = [card_text(action) if action < NUM_CARDS else action for action in cards_of(int(views["legal"][row]))]
        raise ValueError(f"agent {agent_name(agent)!r} chose action {actions[row]}{deal}: legal are {legal}")
    return actions


def whole_answer(agent: Agent, answer: Any, count: int) -> Actions:
    """Return the answer of an agent's ``act`` for ``count`` views as int64[count].

    Raises:
        ValueError: if it is not one integer per view; the message names the agent.
    """
    given = np.asarray(answer)
    if given.shape != (count,) or given.dtype.kind not in "iu":
        raise ValueError(
            f"agent {agent_name(agent)!r} must return int64[{count}], got {given.dtype}{list(given.shape)}"
        )
    return given.astype(np.int64, copy=False)


def _first_illegal(actions: Actions, legal: npt.NDArray[np.uint64]) -> int:
    """Return the first row whose action is not in its mask ``legal``; −1 if there is none."""
    if len(actions) == 1:  # environments of one deal: plain ints, because array operations take microseconds
        action = int(actions[0])
        return -1 if 0 <= action < 64 and int(legal[0]) >> action & 1 else 0
    # Imported here because light commands should not load compiled code.
    from german_whist.simulator.observation.view_kernels import next_illegal

    return int(next_illegal(actions, legal, 0))
