"""A local best response: a responder that knows the agent's policy, and plays the best action under its own belief.

At each of its decisions:

1. The belief is a set of *particles*: deals that agree with what the responder has seen, weighted by the probability of
   the agent's observed actions under its actual policy. In small decks all deals are listed, so the belief is exact. In
   others the particles are a sequential Monte Carlo sample: newly seen cards rule some out, and the agent's new actions
   reweight the rest. When the effective sample size is small, particles are resampled in proportion to their weights
   and moved by Metropolis–Hastings steps that swap two hidden cards (resample–move: Gilks and Berzuini, "Following a
   moving target", 2001).
2. Each action is tried in the same worlds, drawn from the particles. The agent itself replies, and endgames get their
   exact value if the agent plays them perfectly. With depth d, the responder's next d − 1 actions are chosen in the
   same way, in each information set that the worlds lead to; later ones are played by a *blueprint*.
3. The action with the best mean is played. The estimate of a *prior* policy is mixed in; the more precise the means,
   the less it counts.

This is the local best response of Lisý and Bowling ("Equilibrium Approximation Quality of Current No-Limit Poker Bots",
2017) with rollouts. What it wins is a lower bound of what a best response wins.

``python -m tools.local_best_response AGENT --rules classic --deals 440 --seed 7301`` plays it against an agent. In a
small game it prints the exact value instead, beside that of a best response.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from itertools import combinations, pairwise, permutations
from math import comb, factorial
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from german_whist.agents.bots.base import check_rng
from german_whist.agents.endgame.exact_agent import ExactEndgame, solves_endgame, with_exact_endgame
from german_whist.agents.inference.sampling import DealSampler
from german_whist.agents.policy.agent import estimated_advantages
from german_whist.agents.registry import AgentLike, make_agent
from german_whist.agents.search.settings import BOT_SD, CERTAIN, NETWORK_SD, TANH_SCALE, WIN_WEIGHT
from german_whist.agents.search.world_search import WorldSearcher
from german_whist.envs.agent import Actions, Agent, Games, Histories, Views, agent_name, ask_views
from german_whist.envs.engine.agent_rng import AgentRng
from german_whist.envs.engine.cards import NUM_ACTIONS
from german_whist.envs.engine.endgame_hook import EXACT, PLAYED
from german_whist.envs.engine.rules import Rules
from german_whist.envs.engine.rules import rules as rules_named
from german_whist.envs.engine.state import STATE
from german_whist.envs.observation.views import VIEW
from german_whist.envs.simulator.batch import BatchState, DealBatch
from german_whist.envs.utils.checks import whole_number
from german_whist.envs.utils.specs import unknown_name_error
from german_whist.evaluation.exploitability.agent_policy import (
    AgentPolicy,
    distinct_views,
    draws_random_numbers,
    view_keys,
)
from german_whist.evaluation.exploitability.best_response import (
    Endgames,
    counterfactual_values,
    exploitability,
    own_strategy,
)
from german_whist.evaluation.exploitability.tree import (
    MAX_DEALS,
    build_tree,
    check_small,
    number_of_deals,
    opening_states,
    openings,
    views_of,
)
from german_whist.evaluation.match import play_match
from tools.particle_kernels import (
    agree,
    ask_about_decks,
    ask_about_swaps,
    count_decisions,
    uniform_numbers,
    write_actions,
    write_worlds,
)

NAME = "local best response"
PRIOR, BLUEPRINT = "champion", "small"
PARTICLES, MOVES, WORLDS = 256, 8, 64
MOST_LISTED = 1024  # deals that agree with what a seat has seen
REWARDS = ("margin", "mixed")

_KEYS = 2**53
# Probability with which the agent is assumed to play any legal action instead of its own: in a sample of deals, so that
# one surprise never rules all of them out; in a complete list, to keep float32 probabilities of 0 finite in logarithms.
_UNLIKELY, _NEVER = 0.01, 1e-6
_RESAMPLE_BELOW = 0.5  # effective sample size, as a share of the particles
_ROWS = 32_768  # particles or rollouts at a time
_NEGLIGIBLE = 1e-9  # listed deals with less weight are left out of rollouts
_REPEATS = 8  # rollouts in each listed deal, against an agent that draws random numbers
_TIE = 1e-9  # weight of the prior where all deals are listed: it only breaks ties
_MIX = np.uint64(0x9E37_79B9_7F4A_7C15)  # spreads numbers over 64 bits (Fibonacci hashing)
# As in the search (agents/search): the policy's advantages as a prior, and a typical spread of differences in worlds.
_BOT_ADVANTAGE = -0.3
_PRIOR_WORLDS, _USUAL_SD = 16, 2.0

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


class Belief(NamedTuple):
    """The responder's belief in one game.

    Attributes:
        decks: int8[particles, 52], with the responder in seat 0.
        logs: log-probability of each of the agent's actions in each particle, float64[particles, actions].
        log_weights: float64[particles]; −∞ if a particle is ruled out.
        places: mask of the deck positions of the agent's cards.
        is_listed: whether the particles are all possible deals.
    """

    decks: npt.NDArray[np.int8]
    logs: Floats
    log_weights: Floats
    places: int
    is_listed: bool

    @property
    def weights(self) -> Floats:
        """The weights of the particles, which sum to 1, float64[particles]."""
        weights = np.exp(self.log_weights - self.log_weights.max())
        normalised: Floats = weights / weights.sum()
        return normalised


class Worlds(NamedTuple):
    """Worlds in which the responder is to act, grouped by information set.

    Attributes:
        sets: the information set of each world, int64[worlds], ascending from 0 without gaps.
        states: ``STATE`` array (worlds,).
        weights: float64[worlds]; within a set they sum to 1.
        addresses: address of each world's random numbers, uint64[worlds].
        is_whole: whether a set's worlds are all that are possible, bool[sets].
        sizes: effective sample size of the particles that a set's worlds were drawn from, float64[sets].
    """

    sets: Ints
    states: np.ndarray[Any, Any]
    weights: Floats
    addresses: npt.NDArray[np.uint64]
    is_whole: npt.NDArray[np.bool_]
    sizes: Floats


def local_best_response(
    agent: AgentLike,
    rules: str | Rules = "classic",
    *,
    prior: AgentLike = PRIOR,
    blueprint: AgentLike = BLUEPRINT,
    particles: int = PARTICLES,
    moves: int = MOVES,
    worlds: int = WORLDS,
    depth: int | None = None,
    most_listed: int = MOST_LISTED,
    reward: str = "mixed",
) -> Agent:
    """Return a responder to an agent, with a perfect endgame where the agent has one.

    Args:
        agent: a specification string or an agent. Agents that sample worlds are too slow to be asked so often: a search
            is assumed to play like its network, any other such agent like the blueprint.
        rules: a specification or ``Rules``, without humbug.
        prior: the policy that the responder improves on.
        blueprint: plays the responder's later actions in rollouts.
        particles: number of deals in a belief, if they are not listed.
        moves: swaps proposed for each particle after resampling.
        worlds: number of worlds to try actions in, if deals are not listed.
        depth: number of the responder's own actions to look ahead, before the blueprint plays on; by default 2 in decks
            whose deals are listed, else 1.
        most_listed: largest number of deals to list instead of sampling.
        reward: ``"margin"``, or ``"mixed"``, which the search maximises and in which a win itself counts, too.

    Raises:
        ValueError: if an agent cannot play these rules or uses histories, which sampled deals do not have, or a number
            or the reward is not allowed.
    """
    game = rules_named(rules)
    known: Agent = make_agent(agent, game)
    responder = LocalBestResponse(
        known,
        game,
        prior=prior,
        blueprint=blueprint,
        particles=particles,
        moves=moves,
        worlds=worlds,
        depth=depth,
        most_listed=most_listed,
        reward=reward,
    )
    return ExactEndgame(responder, NAME) if solves_endgame(known) else responder


class LocalBestResponse(Agent):
    """Plays a local best response to an agent whose policy it knows.

    Beliefs are carried over from decision to decision of a game. Endgames that the agent plays perfectly are left to
    another agent (:func:`local_best_response`).

    Attributes:
        rules: the rules of the game.
        name: its display name.
        uses_games: true, because it needs event histories and the keys of its games.
    """

    name = NAME
    uses_games = True

    rules: Rules

    def __init__(
        self,
        agent: AgentLike,
        rules: str | Rules = "classic",
        *,
        prior: AgentLike = PRIOR,
        blueprint: AgentLike = BLUEPRINT,
        particles: int = PARTICLES,
        moves: int = MOVES,
        worlds: int = WORLDS,
        depth: int | None = None,
        most_listed: int = MOST_LISTED,
        reward: str = "mixed",
    ) -> None:
        """Create a responder; the arguments are those of :func:`local_best_response`."""
        self.rules = rules_named(rules)
        if self.rules.humbug:
            raise ValueError("a local best response needs rules without humbug: its discarded hands stay hidden")
        if reward not in REWARDS:
            raise unknown_name_error("reward", reward, REWARDS)
        self._prior: Agent = make_agent(prior, self.rules)
        self._blueprint: Agent = make_agent(blueprint, self.rules)
        self._agent = _known_policy(make_agent(agent, self.rules), self._blueprint)
        self._policy = AgentPolicy(self._agent, self.rules)
        self._endgame = EXACT if solves_endgame(self._agent) else PLAYED
        self._repeats = _REPEATS if draws_random_numbers(self._agent, self.rules) else 1
        self._prior_sd = BOT_SD if self._prior.network is None else NETWORK_SD
        self._particles = whole_number("particles", particles, 2)
        self._moves = whole_number("moves", moves, 0)
        self._worlds = whole_number("worlds", worlds, 1)
        self._most_listed = whole_number("most_listed", most_listed, 0)
        is_small = number_of_deals(self.rules) <= MAX_DEALS and most_listed > 0
        self._depth = (2 if is_small else 1) if depth is None else whole_number("depth", depth, 1)
        self._reward = reward
        self._beliefs: WeakKeyDictionary[Any, Belief] = WeakKeyDictionary()
        self._scratch: np.ndarray[Any, Any] = np.zeros(2, STATE)

    def act(self, views: Views, rng: Any, games: Games | None = None) -> Actions:
        """Return one action per view, int64[n].

        Args:
            views: ``VIEW`` array of shape (n,).
            rng: source of randomness; each view draws one key.
            games: the games of the views.

        Raises:
            ValueError: without games, or if ``rng`` is not a source of randomness.
        """
        if games is None:
            raise ValueError(f"agent {self.name!r} plays in matches and environments, which keep histories")
        check_rng(self.name, rng, "integers")
        keys: npt.NDArray[np.uint64] = rng.integers(0, _KEYS, len(views)).astype(np.uint64)
        legal = views["legal"]
        actions = _lowest(legal)
        rows = np.flatnonzero(legal & (legal - np.uint64(1)))
        most = max(1, _ROWS // max(self._particles, self._worlds * 4**self._depth))
        for start in range(0, len(rows), most):
            these = rows[start : start + most]
            known = games.rows(these)
            actions[these] = self._choose(views[these], keys[these], known.histories(), _ids(known))
        return actions

    def _choose(
        self, views: Views, keys: npt.NDArray[np.uint64], histories: Histories, ids: npt.NDArray[np.object_] | None
    ) -> Actions:
        samplers = [DealSampler(tokens[:length], self.rules) for tokens, length in zip(*histories, strict=True)]
        hidden = np.concatenate([one.hidden for one in samplers])
        before = [None if ids is None else self._beliefs.get(ids[game]) for game in range(len(views))]
        beliefs = self._believe(samplers, hidden, keys, before)
        if ids is not None:
            self._beliefs.update(zip(ids, beliefs, strict=True))
        return self._improve(self._worlds_of(beliefs, hidden, keys), self._depth)[0]

    # The belief.

    def _believe(
        self,
        samplers: list[DealSampler],
        hidden: np.ndarray[Any, Any],
        keys: npt.NDArray[np.uint64],
        before: list[Belief | None],
    ) -> list[Belief]:
        """Return the current belief in each game, updated from the belief at the last decision."""
        beliefs = [
            self._fresh(sampler, key) if belief is None else _agreeing(sampler, belief)
            for sampler, key, belief in zip(samplers, keys, before, strict=True)
        ]
        beliefs = self._weighed(beliefs, samplers, hidden)
        lost = [game for game, belief in enumerate(beliefs) if np.isneginf(belief.log_weights.max())]
        if lost:  # every particle has been ruled out
            fresh = [self._fresh(samplers[game], keys[game]) for game in lost]
            again = self._weighed(fresh, [samplers[game] for game in lost], hidden[lost])
            for game, belief in zip(lost, again, strict=True):
                beliefs[game] = belief
        moved = []
        for game, belief in enumerate(beliefs):
            weights = belief.weights
            if not belief.is_listed and 1 / (weights**2).sum() < _RESAMPLE_BELOW * len(weights):
                chosen = _systematic(weights, len(weights), keys[game])
                beliefs[game] = belief._replace(
                    decks=belief.decks[chosen], logs=belief.logs[chosen], log_weights=np.zeros(len(chosen))
                )
                moved.append(game)
        if moved:
            self._move(beliefs, moved, hidden, keys)
        return beliefs

    def _fresh(self, sampler: DealSampler, key: np.uint64) -> Belief:
        """Return all deals that agree with a history, or a sample if they are too many, with equal weights."""
        decks = _listed(sampler, self._most_listed)
        is_listed = decks is not None
        if decks is None:
            decks = _decks(sampler, self._particles, int(key))
        return Belief(decks, np.zeros((len(decks), 0)), np.zeros(len(decks)), _places(sampler), is_listed)

    def _weighed(
        self, beliefs: list[Belief], samplers: list[DealSampler], hidden: np.ndarray[Any, Any]
    ) -> list[Belief]:
        """Reweight particles by the agent's actions since the last decision."""
        owners = np.repeat(np.arange(len(beliefs)), [len(belief.decks) for belief in beliefs])
        decks = np.concatenate([belief.decks for belief in beliefs])
        possible = np.concatenate([~np.isneginf(belief.log_weights) for belief in beliefs])
        starts = np.array([belief.logs.shape[1] for belief in beliefs])
        ends = np.array(
            [count_decisions(self.rules.game, one.hidden, _decks(one, 1, 0)[0], self._scratch) for one in samplers]
        )
        logs = np.zeros((len(decks), max(ends.max(), 1)))
        for belief, part in zip(beliefs, _parts(beliefs), strict=True):
            logs[part, : belief.logs.shape[1]] = belief.logs
        questions = _new_questions(int((ends - starts)[owners].sum()))
        count = ask_about_decks(
            self.rules.game, hidden, owners, decks, starts, self._scratch, logs, possible, *questions
        )
        self._answer(questions, count, logs, np.array([belief.is_listed for belief in beliefs])[owners])
        result = []
        for belief, part, start, end in zip(beliefs, _parts(beliefs), starts, ends, strict=True):
            log_weights = belief.log_weights + logs[part, start:end].sum(axis=1)
            log_weights[~possible[part]] = -np.inf
            result.append(belief._replace(logs=logs[part, :end], log_weights=log_weights))
        return [belief._replace(places=_places(sampler)) for belief, sampler in zip(result, samplers, strict=True)]

    def _answer(self, questions: _Questions, count: int, logs: Floats, is_listed: npt.NDArray[np.bool_]) -> None:
        """Write the policy's answers to the first ``count`` questions into ``logs``, float64[particles, actions]."""
        if count:
            asked, place = distinct_views(questions.views[:count])
            chances = self._policy(asked)[place, questions.actions[:count]]
            legal = np.bitwise_count(questions.views["legal"][:count])
            rows = questions.rows[:count]
            mistakes = np.where(is_listed[rows], _NEVER, _UNLIKELY)
            logs[rows, questions.decisions[:count]] = np.log((1 - mistakes) * chances + mistakes / legal)

    def _move(
        self, beliefs: list[Belief], games: list[int], hidden: np.ndarray[Any, Any], keys: npt.NDArray[np.uint64]
    ) -> None:
        """Move the particles of ``games`` by Metropolis–Hastings steps."""
        chosen = [beliefs[game] for game in games]
        owners = np.repeat(np.arange(len(games)), self._particles)
        decks = np.concatenate([belief.decks for belief in chosen])
        width = max(belief.logs.shape[1] for belief in chosen)
        logs = np.concatenate([np.pad(one.logs, ((0, 0), (0, width - one.logs.shape[1]))) for one in chosen])
        proposals, possible = np.empty_like(decks), np.empty(len(decks), np.bool_)
        questions, uniforms = _new_questions(len(decks) * width), np.empty(len(decks))
        those, known = keys[games], np.ascontiguousarray(hidden[games])
        for move in range(self._moves):
            numbers = move * self._particles + np.tile(np.arange(self._particles), len(games))
            swapped = logs.copy()
            count = ask_about_swaps(
                self.rules.game,
                known,
                owners,
                decks,
                those,
                numbers,
                self._scratch,
                proposals,
                swapped,
                possible,
                *questions,
            )
            self._answer(questions, count, swapped, np.zeros(len(decks), np.bool_))
            uniform_numbers(those, owners, numbers, 2, uniforms)
            ratio = swapped.sum(axis=1) - logs.sum(axis=1)
            accepted = possible & (uniforms < np.exp(np.minimum(ratio, 0)))
            decks[accepted], logs[accepted] = proposals[accepted], swapped[accepted]
        for game, belief, part in zip(games, chosen, _parts(chosen), strict=True):
            beliefs[game] = belief._replace(decks=decks[part], logs=logs[part, : belief.logs.shape[1]])

    # The lookahead.

    def _worlds_of(self, beliefs: list[Belief], hidden: np.ndarray[Any, Any], keys: npt.NDArray[np.uint64]) -> Worlds:
        """Draw the worlds of each game from its belief."""
        chosen, weights, sizes = [], [], []
        for belief, key in zip(beliefs, keys, strict=True):
            all_weights = belief.weights
            sizes.append(1 / (all_weights**2).sum())
            if belief.is_listed:
                likely = np.repeat(np.flatnonzero(all_weights > _NEGLIGIBLE), self._repeats)
                chosen.append(likely)
                weights.append(all_weights[likely] / all_weights[likely].sum())
            else:
                chosen.append(_systematic(all_weights, self._worlds, key))
                weights.append(np.full(self._worlds, 1 / self._worlds))
        sets = np.repeat(np.arange(len(beliefs)), [len(one) for one in chosen])
        decks = np.concatenate([belief.decks[one] for belief, one in zip(beliefs, chosen, strict=True)])
        states = np.zeros(len(sets), STATE)
        numbers = np.concatenate([np.arange(len(one)) for one in chosen])
        is_whole = np.array([belief.is_listed for belief in beliefs])
        write_worlds(self.rules.game, hidden, sets, decks, keys, numbers, ~is_whole[sets], states)
        addresses = keys[sets] ^ (numbers.astype(np.uint64) * _MIX)
        return Worlds(sets, states, np.concatenate(weights), addresses, is_whole, np.array(sizes))

    def _improve(self, worlds: Worlds, depth: int) -> tuple[Actions, Floats]:
        """Return the best action in each information set, int64[sets], and the margin it leads to in each world.

        Args:
            worlds: the worlds.
            depth: number of the responder's actions to choose in this way, before the blueprint plays on.
        """
        starts = np.flatnonzero(np.diff(worlds.sets, prepend=-1))
        views = views_of(self.rules, worlds.states[starts])
        preferred, advantages = self._preferences(views)
        tried = np.empty((len(views), NUM_ACTIONS), np.bool_)
        # Exact values need every action: the agent may reply differently to an equivalent card.
        write_actions(views, ~worlds.is_whole, tried)
        rows, numbers = np.arange(len(views)), np.arange(NUM_ACTIONS)
        usual = NUM_ACTIONS - 1 - (tried & (numbers <= preferred[:, None]))[:, ::-1].argmax(axis=1)
        gains = advantages - advantages[rows, preferred][:, None]
        gains[rows, usual] = 0.0
        tried &= (gains >= -CERTAIN) | worlds.is_whole[:, None]
        parents, actions = np.nonzero(tried[worlds.sets])
        margins = np.zeros((len(worlds.sets), NUM_ACTIONS))
        margins[parents, actions] = self._follow(worlds, parents, actions, depth)
        chosen = self._best(margins, tried, usual, gains, worlds, starts)
        reached = margins[np.arange(len(worlds.sets)), chosen[worlds.sets]]
        return np.where(chosen == usual, preferred, chosen), reached

    def _follow(self, worlds: Worlds, parents: Ints, actions: Ints, depth: int) -> Floats:
        """Play actions and what follows, and return the final margins, float64[n].

        Args:
            worlds: the worlds.
            parents: the world of each action, int64[n], ascending.
            actions: int64[n].
            depth: as in :meth:`_improve`.
        """
        batch = DealBatch(self.rules, len(parents), endgame=self._endgame)
        batch.set_state(BatchState(self.rules, worlds.states[parents], None, None))
        batch.step(actions)
        addresses = worlds.addresses[parents]
        self._play_on(batch, addresses, to_the_end=depth == 1)
        margins: Floats = batch.returns("margin")[:, 0].astype(np.float64)
        live = np.flatnonzero(~batch.done)
        if len(live):
            came_from = worlds.sets[parents[live]] * NUM_ACTIONS + actions[live]
            seen = view_keys(batch.views(live)) ^ (came_from.astype(np.uint64) * _MIX)
            _, first, sets = np.unique(seen, return_index=True, return_inverse=True)
            order = np.argsort(sets, kind="stable")
            live, sets, weights = live[order], sets[order], worlds.weights[parents[live[order]]]
            totals = np.bincount(sets, weights)
            own = came_from[first] // NUM_ACTIONS
            next_worlds = Worlds(
                sets,
                batch.states[live],
                weights / totals[sets],
                addresses[live],
                worlds.is_whole[own],
                worlds.sizes[own] * totals,
            )
            margins[live] = self._improve(next_worlds, depth - 1)[1]
        return margins

    def _play_on(self, batch: DealBatch, addresses: npt.NDArray[np.uint64], *, to_the_end: bool) -> None:
        """Play deals, seat 1 by the agent and seat 0 by the blueprint, to the end or until seat 0 has a choice."""
        while True:
            legal, turn = batch.legal(), batch.turn
            is_open = legal & (legal - np.uint64(1)) != 0
            moves = ~batch.done & (to_the_end | ~is_open | (turn == 1))
            rows = np.flatnonzero(moves)
            if not len(rows):
                return
            actions = _lowest(legal[rows])
            for seat, agent in ((0, self._blueprint), (1, self._agent)):
                mine = np.flatnonzero(is_open[rows] & (turn[rows] == seat))
                if len(mine):
                    asked = rows[mine]
                    steps = np.bitwise_count(batch.states["played"][asked]).sum(axis=1).astype(np.int64)
                    rng = AgentRng(0, addresses[asked], stream=seat, step=steps)
                    actions[mine] = ask_views(agent, batch.views(asked), rng, self.rules)
            batch.step(actions, rows)

    def _preferences(self, views: Views) -> tuple[Actions, Floats]:
        """Return the prior's actions, int64[n], and its estimate of all advantages, float64[n, 54]."""
        actions = np.asarray(self._prior.act(views, None), np.int64)
        network = self._prior.network
        advantages = np.full((len(views), NUM_ACTIONS), -np.inf if network else _BOT_ADVANTAGE)
        if network is None:
            advantages[np.arange(len(views)), actions] = 0.0
        else:
            known = estimated_advantages(network, views)
            advantages[:, : known.shape[1]] = known
        return actions, advantages

    def _best(
        self,
        margins: Floats,
        tried: npt.NDArray[np.bool_],
        usual: Actions,
        gains: Floats,
        worlds: Worlds,
        starts: Ints,
    ) -> Actions:
        """Return the best action of each set, by a precision-weighted mean of the worlds' gains and the prior's.

        Args:
            margins: margin of each action in each world, float64[worlds, 54].
            tried: the actions to choose from, bool[sets, 54].
            usual: the prior's action, int64[sets].
            gains: each action's advantage over the prior's own, as the prior estimates it, float64[sets, 54].
            worlds: the worlds.
            starts: index of the first world of each set, int64[sets].
        """
        values = margins
        if self._reward == "mixed":
            values = TANH_SCALE * np.tanh(margins / TANH_SCALE) + WIN_WEIGHT * np.sign(margins)
        sets, weights = worlds.sets, worlds.weights[:, None]
        differences = values - values[np.arange(len(sets)), usual[sets]][:, None]
        means = np.add.reduceat(weights * differences, starts)
        spread = np.add.reduceat(weights * (differences - means[sets]) ** 2, starts)
        counts = np.diff([*starts, len(sets)])[:, None]
        variances = (counts * spread + _PRIOR_WORLDS * _USUAL_SD**2) / (counts + _PRIOR_WORLDS)
        precision = 1 / (1 / counts + 1 / worlds.sizes[:, None]) / variances
        prior = 1 / self._prior_sd**2
        scores = (prior * np.where(tried, gains, 0.0) + precision * means) / (prior + precision)
        whole = means + _TIE * np.where(tried, np.maximum(gains, -1.0), 0.0)
        scores = np.where(worlds.is_whole[:, None], whole, scores)
        best: Actions = np.where(tried, scores, -np.inf).argmax(axis=1)
        return best


class _Questions(NamedTuple):
    """Questions to a policy: the probabilities of observed actions.

    Attributes:
        views: ``VIEW`` array (questions,).
        rows: the particle of each, int64[questions].
        decisions: the number of the agent's decision, int64[questions].
        actions: the action that was observed, int64[questions].
    """

    views: Views
    rows: Ints
    decisions: Ints
    actions: Ints


def _new_questions(most: int) -> _Questions:
    numbers = (np.zeros(most, np.int64) for _ in range(3))
    return _Questions(np.zeros(most, VIEW), *numbers)


def _known_policy(agent: Agent, blueprint: Agent) -> Agent:
    """Return the policy that the responder attributes to an agent: its own, unless it samples worlds."""
    inner = agent.agent if isinstance(agent, ExactEndgame) else agent
    if isinstance(inner, WorldSearcher):
        network = agent.network
        played: Agent = blueprint if network is None else network
        return with_exact_endgame(played) if solves_endgame(agent) else played
    if agent.uses_games:
        raise ValueError(f"agent {agent_name(agent)!r} uses histories, which sampled deals do not have")
    return agent


def _ids(games: Games) -> npt.NDArray[np.object_] | None:
    """Return the keys of games; ``None`` for mere positions, whose beliefs start afresh each time."""
    try:
        return games.ids()
    except ValueError:
        return None


def _lowest(masks: npt.NDArray[np.uint64]) -> Actions:
    """Return the lowest action of each mask, int64[n]."""
    actions: Actions = np.bitwise_count((masks & (~masks + np.uint64(1))) - np.uint64(1)).astype(np.int64)
    return actions


def _cards(mask: int) -> list[int]:
    """Return the bits of a mask, in ascending order."""
    return [action for action in range(54) if int(mask) >> action & 1]


def _parts(beliefs: list[Belief]) -> list[slice]:
    """Return the slice of each belief's particles in their concatenation."""
    ends = np.cumsum([len(belief.decks) for belief in beliefs]).tolist()
    return [slice(start, end) for start, end in pairwise([0, *ends])]


def _places(sampler: DealSampler) -> int:
    return int(sampler.hidden["hand_places"][0] | sampler.hidden["drawn_places"][0])


def _agreeing(sampler: DealSampler, belief: Belief) -> Belief:
    """Rule out the particles of a belief that cannot agree with the cards seen since."""
    decks, agreeing = belief.decks.copy(), np.empty(len(belief.decks), np.bool_)
    agree(sampler.hidden[0], np.uint64(belief.places), decks, belief.is_listed, agreeing)
    return belief._replace(decks=decks, log_weights=np.where(agreeing, belief.log_weights, -np.inf))


def _listed(sampler: DealSampler, most: int) -> npt.NDArray[np.int8] | None:
    """Return every deck that agrees with a history, up to the order of hands; ``None`` if more than ``most``."""
    hidden = sampler.hidden[0]
    hand, drawn, free = (_cards(hidden[name]) for name in ("hand_places", "drawn_places", "free_places"))
    rest = len(drawn) + len(free)
    if comb(len(hand) + rest, rest) * factorial(rest) > most:
        return None
    [deck] = _decks(sampler, 1, 0)
    cards = sorted(deck[[*hand, *drawn, *free]].tolist())
    orders = [
        [*held, *order]
        for held in combinations(cards, len(hand))
        for order in permutations([card for card in cards if card not in held])
    ]
    decks = np.repeat(deck[None], len(orders), axis=0)
    decks[:, [*hand, *drawn, *free]] = orders
    return decks


def _systematic(weights: Floats, count: int, key: np.uint64) -> Ints:
    """Resample ``count`` particles systematically (Kitagawa, 1996), and return their indices in random order."""
    rng = np.random.default_rng(int(key))
    chosen = np.searchsorted(weights.cumsum(), (np.arange(count) + rng.random()) / count * (1 - 1e-12))
    return rng.permutation(np.minimum(chosen, len(weights) - 1))


def _decks(sampler: DealSampler, count: int, key: int) -> npt.NDArray[np.int8]:
    """Return random decks that agree with a history, int8[count, 52]."""
    some = sampler.decks(count, key)
    decks = np.zeros((count, 52), np.int8)
    decks[:, : some.shape[1]] = some
    return decks


def response_values(
    responder: str | Agent, agent: str | Agent, rules: str | Rules = "tiny", *, seed: int = 0
) -> tuple[float, float]:
    """Compute exactly what a given responder wins against an agent in a small game.

    Both play perfect endgames. If the responder draws random numbers, it gets one fixed draw per information set. The
    agent's policy is determined as in :func:`german_whist.exploitability`.

    Args:
        responder: a specification string or an agent; it may use histories.
        agent: its opponent.
        rules: as in :func:`german_whist.exploitability`.
        seed: seed of all draws.

    Returns:
        The responder's margin as the non-dealer, who leads, and as the dealer; comparable with ``best_responses``.

    Raises:
        ValueError: as :func:`german_whist.exploitability`, or if one of them does not play perfect endgames.
    """
    game = rules_named(rules)
    check_small(game)
    policy, own = AgentPolicy(agent, game, seed=seed), AgentPolicy(responder, game, 1, seed)
    for one in (policy, own):
        if not one.perfect_endgame:
            raise ValueError(f"agent {one.name!r} needs a perfect endgame here: {one.name}+exact")
    totals = [0.0, 0.0]
    for opening in openings(game):
        starts = opening_states(game, opening)
        for seat in (0, 1):
            tree = build_tree(game, starts, policy, seat, has_histories=own.uses_games)
            values = Endgames(game, tree.leaves, seat, None).best_values()
            strategy = own_strategy(tree, own, game)
            totals[seat] += opening.probability * counterfactual_values(tree, seat, strategy, values)[1]
    return totals[0], totals[1]


def main(words: Sequence[str] | None = None) -> int:
    """Play the local best response against an agent, and print what it wins; return the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m tools.local_best_response",
        description="Measure what a local best response wins from an agent; exactly in a small game.",
    )
    parser.add_argument("agent", metavar="AGENT", help="the agent to respond to (see german-whist agents)")
    parser.add_argument("--rules", default="classic", help="the game (default classic)")
    parser.add_argument("--deals", type=int, default=200, help="mirrored deals (default 200)")
    parser.add_argument("--seed", type=int, default=0, help="seed of the deals (default 0)")
    parser.add_argument("--worlds", type=int, default=WORLDS, help=f"worlds to try a card in (default {WORLDS})")
    options = parser.parse_args(words)
    try:
        game = rules_named(options.rules)
        agent: Agent = make_agent(options.agent, game)
        responder = local_best_response(agent, game, worlds=options.worlds)
        endgame = EXACT if solves_endgame(agent) else PLAYED
        if endgame == EXACT and number_of_deals(game) <= MAX_DEALS:
            own = sum(response_values(responder, agent, game, seed=options.seed))
            best = exploitability(agent, game, seed=options.seed).nash_conv
            print(f"in both seats, {NAME} wins {own:.4f} tricks from {options.agent}, a best response {best:.4f}")
        else:
            print(play_match(responder, agent, deals=options.deals, seed=options.seed, rules=game, endgame=endgame))
    except ValueError as error:
        print(f"{parser.prog}: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
