"""Agents: the base class of whatever chooses actions, and the one place that asks it and checks its answer."""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from german_whist.envs.engine.actions import action_text, actions_text
from german_whist.envs.engine.rules import Rules
from german_whist.envs.engine.rules import rules as rules_named
from german_whist.envs.text.rules_text import rules_spec
from german_whist.envs.utils.checks import is_agent_class, whole_number
from german_whist.envs.utils.specs import must_be, printable, short_repr

if TYPE_CHECKING:
    from torch import Tensor

    from german_whist.envs.simulator.batch import DealBatch
    from german_whist.envs.utils.device import Device, Records

Views = np.ndarray[Any, Any]
Actions = npt.NDArray[np.int64]
Forfeits = dict[int, str]
# Event histories as ``DealBatch.history`` returns them: tokens int8[n, events, 4], and the number of events, int16[n].
Histories = tuple[npt.NDArray[np.int8], npt.NDArray[np.integer[Any]]]

OBSERVATION_FORM = ["observations", "action_masks"]


class Values(NamedTuple):
    """What positions are worth to the seats to act.

    Attributes:
        margin: expected margin of the deal in counted tricks, float64[n]; in a low game, too, more is better.
        win: chance to win the deal, a draw counting half, float64[n].
    """

    margin: npt.NDArray[np.float64]
    win: npt.NDArray[np.float64]


class ActionValues(NamedTuple):
    """The actions of n views, each compared with the search's choice.

    Means and standard deviations are those of the posterior (``combine``), float64[n, 54]; NaN for other than distinct
    actions, and where there is but one.

    Attributes:
        actions: the choices, int64[n].
        margins: gain in margin over the choice.
        margin_sds: its standard deviation.
        wins: gain in chance to win the deal, a draw counting half.
        win_sds: its standard deviation.
    """

    actions: Actions
    margins: npt.NDArray[np.float64]
    margin_sds: npt.NDArray[np.float64]
    wins: npt.NDArray[np.float64]
    win_sds: npt.NDArray[np.float64]


class Searcher(Protocol):
    """A search, as whoever judges cards asks it."""

    def action_values(self, views: Views, rng: Any, histories: Histories | None = None) -> ActionValues:
        """Return the actions that it plays, and what each action gains over them."""
        ...


class Games:
    """What an agent may ask of the games that it acts in, one for each view."""

    def __init__(
        self,
        histories: Callable[[], Histories] | None = None,
        ids: Callable[[], npt.NDArray[np.object_]] | None = None,
    ) -> None:
        """Say where histories and ids come from; ``None`` where the caller keeps none."""
        self._histories, self._ids = histories, ids

    def histories(self) -> Histories:
        """Return what the seats to act saw of their deals, in order, as ``DealBatch.history`` returns it.

        Returns:
            Tokens int8[n, events, 4], and the number of events of each deal, int16[n].

        Raises:
            ValueError: where the caller keeps no histories.
        """
        if self._histories is None:
            raise ValueError("histories are not kept here: this agent plays in matches, environments and at the table")
        return self._histories()

    def ids(self) -> npt.NDArray[np.object_]:
        """Return an opaque key for each view, object[n]: the same at every decision of a seat in a game.

        An agent keys a state of its own by it, such as that of a recurrent network. Callers drop a key with its game,
        so a ``weakref.WeakKeyDictionary`` forgets finished games. An unknown key may come in the middle of a deal, as
        when a person takes a card back; the histories tell what happened before.

        Raises:
            ValueError: where positions are no part of a game that is played.
        """
        if self._ids is None:
            raise ValueError("these positions are no games: an agent with a state of its own cannot be asked here")
        return self._ids()

    def rows(self, rows: npt.NDArray[np.int64]) -> Games:
        """Return those of some rows, int64[k]."""

        def histories() -> Histories:
            tokens, lengths = self.histories()
            return tokens[rows], lengths[rows]

        return Games(histories, lambda: self.ids()[rows])


class SupportsAct(Protocol):
    """An object that chooses actions and says no more of itself; :func:`as_agent` makes an :class:`Agent` of it.

    The names of its parameters say what ``act`` gets: ``act(views, rng)`` or ``act(observations, action_masks)``.
    """

    def act(self, seen: Any, other: Any, /) -> Any:
        """Return one legal action per decision, int64[n]."""
        ...


class Agent(ABC):
    """Chooses actions for a batch of views.

    A subclass defines ``act``, and whatever else it has to say. An object that is no ``Agent`` plays too, if it has
    ``act(views, rng)`` or ``act(observations, action_masks)``; of the following it may have any. In the second form it
    gets observations int8[n, n_obs], as :func:`german_whist.observe` writes them for its ``rules`` (by default those of
    the deals), and masks bool[n, n_actions], and so do its methods ``policy`` and ``values``. With an attribute
    ``canonical = True``, all of these are those of :func:`german_whist.canonical_views`, and so are its actions.

    Attributes:
        name: what results call it; by default the name of its class.
        rules: the rules of the one game that it plays; deals of another game are refused before the first card.
            ``None``: it plays any game.
        uses_games: whether it is called as ``act(views, rng, games)`` with :class:`Games`, which give histories and
            keys for a state of its own.
    """

    name: str = ""
    rules: Rules | None = None
    uses_games: bool = False

    @abstractmethod
    def act(self, views: Views, rng: Any) -> Actions:
        """Return one legal action per view.

        Args:
            views: structured array of dtype ``VIEW`` and shape (n,): what each of n seats to act knows.
            rng: source of randomness with ``random(size)`` and ``integers(low, high, size)`` as in
                ``numpy.random.Generator``; the first dimension of ``size`` is n, one row per view. Draw from it alone
                to get the same actions in any batch size. Agents that use no randomness accept ``None``.

        Returns:
            int64[n]: an action whose bit is set in ``views["legal"]``.
        """

    def act_on(self, device: Device, views: Records, rng: Any) -> Tensor:
        """Return one legal action per view for views in tensors on a device, int64[n].

        By default the views are copied to the host for ``act``. Networks and rule bots choose on the device.

        Args:
            device: where the views are.
            views: n records of ``VIEW``.
            rng: as for ``act``.
        """
        import torch

        on_host = views.bytes.cpu().numpy().view(views.dtype)[:, 0]
        answer = whole_answer(self.act(on_host, rng), len(on_host), agent_name(self))
        return torch.from_numpy(answer).to(device.torch_device)

    def policy(self, views: Views) -> npt.NDArray[np.float64] | None:
        """Return the probability with which ``act`` plays each action, float64[n, actions]; ``None`` if not known.

        It makes ``exploitability`` exact for an agent that draws random numbers.
        """
        return None

    def values(self, views: Views) -> Values | None:
        """Return what the seats to act can expect; ``None`` if not known."""
        return None

    def for_match(self) -> Agent:
        """Return the agent that plays a match that begins: another one if it counts something in a match."""
        return self

    @property
    def network(self) -> Any:
        """The policy network that it plays, also within a search or an exact endgame: a ``PolicyAgent`` or ``None``."""
        return None

    @property
    def searcher(self) -> Searcher | None:
        """The search that it plays before an exact endgame, if any."""
        return None

    def __repr__(self) -> str:
        game = "" if self.rules is None else f", rules={rules_spec(self.rules)!r}"
        return f"{type(self).__name__}({self.name!r}{game})"


class _Wrapped(Agent):
    """An object with ``act`` as an agent: the one place that looks for what else it has."""

    def __init__(self, wrapped: Any, rules: Rules | None) -> None:
        self.wrapped = wrapped
        self.name = str(getattr(wrapped, "name", type(wrapped).__name__))
        own = getattr(wrapped, "rules", None)
        self.rules = rules_named(own) if isinstance(own, (str, Rules)) else None
        self.uses_games = bool(getattr(wrapped, "uses_games", False))

    def act(self, views: Views, rng: Any, *games: Any) -> Actions:
        actions: Actions = self.wrapped.act(views, rng, *games)
        return actions

    def policy(self, views: Views) -> npt.NDArray[np.float64] | None:
        found: npt.NDArray[np.float64] | None = self._asked("policy", views)
        return found

    def values(self, views: Views) -> Values | None:
        found: Values | None = self._asked("values", views)
        return found

    def _asked(self, method: str, *inputs: Any) -> Any:
        found = getattr(self.wrapped, method, None)
        # A network that is called so, as in a torch module, is no method.
        return found(*inputs) if inspect.isroutine(found) else None

    def for_match(self) -> Agent:
        # Looked up in the class, so that a wrapper which passes attributes on stays in place.
        make = getattr(type(self.wrapped), "for_match", None)
        return self if make is None else as_agent(make(self.wrapped), self.rules)


class _WrappedOnObservations(_Wrapped):
    """An object with ``act(observations, action_masks)`` as an agent; with ``canonical = True``, of canonical views."""

    rules: Rules

    def __init__(self, wrapped: Any, rules: Rules | None) -> None:
        super().__init__(wrapped, rules)
        self.rules = self.rules or rules or rules_named("classic")
        self.canonical = bool(getattr(wrapped, "canonical", False))

    def act(self, views: Views, rng: Any, *games: Any) -> Actions:
        inputs, relabeling = self._seen(views)
        actions: Actions = self.wrapped.act(*inputs, *games)
        if relabeling is None:
            return actions
        from german_whist.envs.observation.canonical import decode_actions

        return decode_actions(whole_answer(actions, len(views), agent_name(self)), relabeling)

    def policy(self, views: Views) -> npt.NDArray[np.float64] | None:
        inputs, relabeling = self._seen(views)
        found: npt.NDArray[np.float64] | None = self._asked("policy", *inputs)
        if found is None or relabeling is None:
            return found
        from german_whist.envs.observation.canonical import decode_values

        return decode_values(np.asarray(found), relabeling)

    def values(self, views: Views) -> Values | None:
        found: Values | None = self._asked("values", *self._seen(views)[0])
        return found

    def _seen(self, views: Views) -> tuple[tuple[Any, Any], npt.NDArray[np.int8] | None]:
        """Return observations and masks, and for canonical ones the relabeling that undoes them."""
        from german_whist.envs.observation.canonical import canonical_views  # compiled
        from german_whist.envs.observation.vector import action_mask, observe

        seen, relabeling = canonical_views(views) if self.canonical else (views, None)
        return (observe(seen, self.rules), action_mask(seen, self.rules)), relabeling


def _wrapper_of(agent: Any) -> type[_Wrapped]:
    """Return how to wrap an object: the names of the parameters of its ``act`` tell."""
    try:
        signature = inspect.signature(agent.act)
    except (TypeError, ValueError):  # compiled code tells no names
        return _Wrapped
    names = [*signature.parameters][:2]
    try:
        signature.bind_partial(None, None)
    except TypeError:
        refused = True  # too few parameters, or only by keyword
    else:
        if names == OBSERVATION_FORM:
            return _WrappedOnObservations
        refused = any("mask" in name or name.startswith("obs") for name in names)
    if refused:
        raise ValueError(
            f"{type(agent).__name__}.act({', '.join(names)}): name its parameters (observations, action_masks) to get "
            "these, or (views, rng)"
        )
    return _Wrapped


class AgentForfeit(ValueError):  # noqa: N818 - the game is lost, nothing is wrong with the call
    """Raised by ``act`` to lose games instead of choosing an action in them.

    ``play_match`` counts each as a loss by the largest margin and names the reason. Elsewhere it is an error.

    Attributes:
        reasons: why, by the row of the view.
        actions: int64[n], what the agent chose in the other rows; ``None`` if it loses them all.
    """

    def __init__(self, reasons: str | Mapping[int, str], actions: Actions | None = None) -> None:
        """Say why.

        Args:
            reasons: the reason in each row that is lost, or one reason for all rows.
            actions: int64[n], the actions in the other rows; what stands in lost rows does not matter.
        """
        self._given = reasons
        self.reasons = dict(reasons) if isinstance(reasons, Mapping) else {}
        self.actions = actions
        super().__init__(reasons if isinstance(reasons, str) else next(iter(self.reasons.values()), "no reason given"))

    def for_rows(self, count: int, name: str) -> tuple[Forfeits, Actions]:
        """Return the reasons by row and the actions.

        Args:
            count: for how many views ``act`` was asked.
            name: what to call the agent in errors.

        Raises:
            ValueError: if there is no such row, or a reason is no text; the message names the agent.
        """
        if isinstance(self._given, str):
            return dict.fromkeys(range(count), self._given), np.zeros(count, np.int64)
        if not isinstance(self._given, Mapping):
            expected = "text or a dictionary of texts by row"
            raise ValueError(must_be(f"agent {name!r}: the reasons of a forfeit", expected, self._given))
        reasons: Forfeits = {}
        for row, reason in self._given.items():
            if not isinstance(reason, str):
                raise ValueError(must_be(f"agent {name!r}: the reason of a forfeit", "text", reason))
            reasons[whole_number(f"agent {name!r}: the row of a forfeit", row, 0, count - 1)] = reason
        return reasons, np.zeros(count, np.int64) if self.actions is None else self.actions


def agent_name(agent: Agent) -> str:
    """Return what to call an agent: its ``name``, which may be that of a folder from others, or else its class."""
    return printable(agent.name or type(agent).__name__)


def as_agent(agent: Agent | SupportsAct, rules: Rules | None = None) -> Agent:
    """Return an object that plays as an :class:`Agent`.

    Args:
        agent: an :class:`Agent`, or an object with ``act(views, rng)`` or ``act(observations, action_masks)``.
        rules: the rules of the deals; ``None`` if they are not known here.

    Raises:
        ValueError: if it has no method ``act``, is the class of an agent, or plays other rules than these.
    """
    if isinstance(agent, str):
        raise ValueError(
            must_be("agent", "an object, as make_agent returns (gymnasium.make and matches take names)", agent)
        )
    if is_agent_class(agent):
        raise ValueError(f"{agent.__name__} is a class: pass an object of it, such as {agent.__name__}()")
    if not callable(getattr(agent, "act", None)):
        raise ValueError(
            f"{short_repr(agent)} is neither an agent's name nor an object with act(views, rng) or "
            "act(observations, action_masks)"
        )
    wrapper = _wrapper_of(agent)
    if isinstance(agent, Agent) and wrapper is not _Wrapped:
        raise ValueError(
            f"{type(agent).__name__}.act(observations, action_masks): a subclass of Agent gets (views, rng); leave out "
            "the base class"
        )
    found = agent if isinstance(agent, Agent) else wrapper(agent, rules)
    if rules is not None and found.rules is not None and not found.rules.plays_like(rules):
        own, wanted = rules_spec(found.rules), rules_spec(rules)
        raise ValueError(
            f"agent {agent_name(found)!r} plays {own!r}, and the deals are of {wanted!r}: make it for that game, "
            f"as in make_agent(..., rules={wanted!r})"
        )
    return found


def ask(
    agent: Agent,
    batch: DealBatch,
    rows: npt.NDArray[np.int64],
    rng: Any,
    name: str = "",
    where: Callable[[int], str] | None = None,
    forfeits: Forfeits | None = None,
) -> Actions:
    """Return what an agent plays in some rows of a batch, where it is to move, int64[k]; see :func:`ask_views`."""
    games = None
    if agent.uses_games:
        games = Games(None if batch.log is None else lambda: batch.history(rows=rows), lambda: batch.game_ids(rows))
    return ask_views(agent, batch.views(rows), rng, batch.rules, games, name, where, forfeits)


def ask_views(
    agent: Agent,
    views: Views,
    rng: Any,
    rules: Rules,
    games: Games | None = None,
    name: str = "",
    where: Callable[[int], str] | None = None,
    forfeits: Forfeits | None = None,
) -> Actions:
    """Return what an agent plays in some views, int64[n], each a legal action.

    Args:
        agent: the agent.
        views: ``VIEW`` array of shape (n,), each of a seat to act.
        rng: source of randomness with one row of numbers per view.
        rules: the rules of the deals.
        games: the games of the views, for an agent that asks for them (``uses_games``); ``None`` for others.
        name: what to call the agent in errors; its own name by default.
        where: says in which deal a row is, for errors.
        forfeits: gets the reason of each row that the agent loses instead of choosing an action; the action there does
            not matter. ``None``: that is an error.

    Raises:
        ValueError: when the agent does not return one legal action per view; the message names the agent.
    """
    act: Any = agent.act
    lost: Forfeits = {}
    try:
        answer = act(views, rng) if games is None else act(views, rng, games)
    except AgentForfeit as forfeit:
        if forfeits is None:
            raise ValueError(
                f"agent {name or agent_name(agent)!r} lost a deal that has to be played: {forfeit}"
            ) from None
        lost, answer = forfeit.for_rows(len(views), name or agent_name(agent))
        forfeits.update(lost)
    actions = whole_answer(answer, len(views), name or agent_name(agent))
    row = _first_illegal(actions, views["legal"], lost)
    if row >= 0:
        said, place = f"agent {name or agent_name(agent)!r} chose", "" if where is None else where(row)
        raise illegal_choice(said, int(actions[row]), int(views["legal"][row]), rules, place)
    return actions


def whole_answer(answer: Any, count: int, name: str) -> Actions:
    """Return what an agent's ``act`` has returned for ``count`` views, int64[count].

    Raises:
        ValueError: when it is not an integer per view; the message names the agent.
    """
    try:
        given = np.asarray(answer)
    except ValueError:
        raise ValueError(f"agent {name!r} must return int64[{count}], got what is no array") from None
    if given.shape != (count,) or given.dtype.kind not in "iu":
        raise ValueError(f"agent {name!r} must return int64[{count}], got {given.dtype}{list(given.shape)}")
    return given if given.dtype == np.int64 else given.astype(np.int64)


def _first_illegal(actions: Actions, legal: npt.NDArray[np.uint64], lost: Forfeits) -> int:
    """Return the first row, but those that are lost, whose action is not in its mask of legal ones; −1 for none."""
    if len(actions) == 1:  # environments of one deal: no arrays, which take microseconds
        action = int(actions[0])
        return -1 if (0 <= action < 64 and int(legal[0]) >> action & 1) or lost else 0
    # Compiled code, which light commands do not load.
    from german_whist.envs.observation.view_kernels import next_illegal

    row = int(next_illegal(actions, legal, 0))
    while row in lost:
        row = int(next_illegal(actions, legal, row + 1))
    return row


def illegal_choice(said: str, action: int, legal: int, rules: Rules, where: str = "") -> ValueError:
    """Return the error of an agent that chose an action outside the mask ``legal``, after what is ``said`` of it."""
    text = f" ({action_text(action, rules)})" if 0 <= action < rules.num_actions else ""
    return ValueError(f"{said} action {action}{text}{where}: it may play {actions_text(legal, rules)}")
