"""Approximate policy iteration: regression on the value of every action in positions of the learner's own play.

Each action is tried in the true deal (``ActionValueTargets``). All actions of a position meet the same hidden cards, so
luck cancels out of their differences, and the network, which does not see those cards, learns the mean over all that
they could be.

Targets bootstrap from the learner's own *value* network at the seat's next decision. The value is the mean over what is
still hidden there, so it varies much less; it learns from the returns of the learner's play. Better play thus gives
better targets, which is policy iteration, and all targets are for positions of the learner's own play, so they correct
its own errors (DAgger: Ross et al., arXiv 1011.0686).

The actor's outputs are advantages, correct up to a constant per position. The policy is their softmax, with
``LOGITS_PER_TRICK``, and so are the logits of its checkpoints. The *distilled* network is a small one that learns the
actor's outputs (Hinton et al., arXiv 1503.02531) and picks moves during lookahead.

For a best response, a *model of the opponents* may pick them: a network that learns to play their actions, by behaviour
cloning (Johanson, Zinkevich and Bowling, "Computing robust counter-strategies", NIPS 2007). Asking the opponents
themselves would take a call of each for every action of every position, too slow for one that searches.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from torch.nn.functional import cross_entropy

from german_whist.agents.policy.agent import PolicyAgent
from german_whist.agents.policy.checkpoint import UNPLAYED, Checkpoint, load_checkpoint
from german_whist.agents.policy.input_kernels import RULE_FLAGS
from german_whist.agents.policy.inputs import input_layout
from german_whist.agents.policy.network.layers import LOGITS_PER_TRICK, UNIVERSAL, Layer
from german_whist.agents.pretrained import find_network
from german_whist.agents.registry import make_agent
from german_whist.envs.agent import Agent
from german_whist.envs.engine.endgame_hook import EXACT
from german_whist.envs.engine.rules import Rules, rules
from german_whist.evaluation.match import MatchResult
from german_whist.training.config import INIT, OPPONENT, POOL, SELF, PolicyIterationConfig
from german_whist.training.networks import (
    ACTOR_GAIN,
    FrozenMLP,
    TrainedNetwork,
    check_device,
    feature_scale,
    native_dtype,
    new_mlp,
)
from german_whist.training.rollouts import ActionValueTargets, Collector, OpponentMix
from german_whist.training.run.directory import RunDirectory
from german_whist.training.run.processes import Processes
from german_whist.training.run.provenance import Provenance, code_version
from german_whist.training.run.records import evaluate
from german_whist.training.run.snapshot import UNREADABLE, Snapshot, cannot_resume, tensor_of_shape
from german_whist.training.run.stopping import Stopped, StopRequest
from german_whist.training.value_fit import fit_value, self_play_outcomes

TRICKS_PER_OUTPUT = 4.0  # units of the networks' outputs in training, which suit the optimisers
LOGITS_PER_OUTPUT = LOGITS_PER_TRICK * TRICKS_PER_OUTPUT
INVERSE_TEMPERATURE = 4.0  # of the behaviour policy: values learn from its returns, so exploration must cost little
LEAGUE_SIZE = 5  # early checkpoints in the league
LEAGUE_SHARE = 0.8  # of the deals, against them; the rest is self-play
DISTILLED_HIDDEN = 192  # units of its one hidden layer; those of ``small``, which is such a network
EXPLODED = 1e3  # a loss this large means divergence: targets are a few outputs at most, and losses usually below 1
METRICS = (
    *("charts/SPS", "charts/seconds", "charts/learning_rate"),
    *("losses/loss", "losses/explained_variance", "losses/value_explained_variance"),
)


@dataclass(frozen=True)
class OpponentActions:
    """Decisions of the opponents in which they had a choice.

    Attributes:
        features: int8[positions, features].
        masks: bool[positions, actions], legal actions.
        actions: int64[positions], canonical, what they played.
    """

    features: torch.Tensor
    masks: torch.Tensor
    actions: torch.Tensor


@dataclass(frozen=True)
class Batch:
    """Positions with action-value targets, of a rollout.

    Attributes:
        features: int8[positions, features].
        masks: bool[positions, actions], legal actions.
        q_targets: float32[positions, actions], for legal actions, in tricks.
        logits: float32[positions, actions], of the policy that played.
        returns: float32[positions], in tricks.
        against_heuristic: int8[positions], 1 where the opponent is the heuristic bot.
        played: the opponents' decisions, in self-play the learner's; ``None`` if they are not learnt.
    """

    features: torch.Tensor
    masks: torch.Tensor
    q_targets: torch.Tensor
    logits: torch.Tensor
    returns: torch.Tensor
    against_heuristic: torch.Tensor
    played: OpponentActions | None = None


class PolicyIteration:
    """The networks and their update. Play and evaluation use the averaged weights of the last :meth:`freeze`.

    Attributes:
        actor: advantages of the actions, from an observation.
        value: expected margin for the seat to act, against itself and against the heuristic bot.
        distilled: the small network.
        opponent_model: plays as the opponents do, the learner among them in self-play; ``None`` unless it picks moves
            during lookahead.
        updates: number of updates so far.
    """

    def __init__(self, config: PolicyIterationConfig, scale: torch.Tensor, actions: int, processes: Processes) -> None:
        """Build the networks.

        Args:
            config: the configuration.
            scale: factor of each feature, float32[features].
            actions: size of the action space.
            processes: the processes that train together.
        """
        self.config = config
        self.processes = processes
        self.updates = 0
        self._device = torch.device(config.device)
        torch.manual_seed(config.seed)

        def build(name: str, hidden: list[int], outputs: int, suit_layers: int) -> TrainedNetwork:
            mlp = new_mlp(scale, hidden, outputs, ACTOR_GAIN, suit_layers)
            mlp.compute_dtype = native_dtype(self._device)
            return TrainedNetwork(name, mlp.to(self._device), config, processes)

        self.actor = build("actor", config.hidden, actions, config.suit_layers)
        self.value = build("value", config.value_hidden, 2, config.suit_layers)
        self.distilled = build("distilled", [DISTILLED_HIDDEN], actions, 0)
        self._initial = copy.deepcopy(self.actor.network) if config.lookahead_policy == INIT else None
        self._parts = [self.actor, self.value, self.distilled]
        self._new_model = lambda: build("opponent", config.hidden, actions, config.suit_layers)
        self.opponent_model: TrainedNetwork | None = None
        if config.lookahead_policy == OPPONENT:
            self.opponent_model = self._new_model()
            self._parts.append(self.opponent_model)
        self.freeze()

    def begin_league(self) -> None:
        """Learn a model of the opponents, the policy at first, and let it pick moves during lookahead from now on."""
        self.opponent_model = self._new_model()
        self.opponent_model.start_from(self.actor.layers(), "the policy")
        self._parts.append(self.opponent_model)

    def freeze(self) -> None:
        """Copy the current averaged weights; they play and evaluate from now on."""
        self._frozen_actor, self._frozen_value = self.actor.frozen(), self.value.frozen()
        if self._initial is not None:
            self._frozen_lookahead = FrozenMLP(self._initial)
        else:
            self._frozen_lookahead = (self.opponent_model or self.distilled).frozen()

    def start_from(self, checkpoint: Checkpoint, name: str) -> None:
        """Take the policy from a checkpoint, and the value too if it has one of the same sizes.

        Raises:
            ValueError: when the policy's sizes differ.
        """
        outputs = _rescaled(checkpoint.layers, 1 / LOGITS_PER_OUTPUT)
        self.actor.start_from(outputs, name)
        if self._initial is not None:
            self._initial.load_raw_layers(outputs, name)
        if self.opponent_model is not None:
            self.opponent_model.start_from(outputs, name)
        if checkpoint.value and checkpoint.value_sizes[1:-1] == self.config.value_hidden:
            *hidden, (weight, bias) = checkpoint.value
            margin = np.repeat(weight[:1], 2, axis=0), np.repeat(bias[:1], 2)  # against itself and the bot alike
            self.value.start_from(_rescaled((*hidden, margin), 1 / TRICKS_PER_OUTPUT), name)
        self.freeze()

    def layers(self) -> tuple[Layer, ...]:
        """Return the policy's layers for unscaled features, as a checkpoint stores them."""
        return _rescaled(self.actor.layers(), LOGITS_PER_OUTPUT)

    def distilled_layers(self) -> tuple[Layer, ...]:
        """Return the distilled network's layers likewise."""
        return _rescaled(self.distilled.layers(), LOGITS_PER_OUTPUT)

    def named_parameters(self) -> Iterator[tuple[str, torch.Tensor]]:
        """Yield the trained weights by name."""
        for part in self._parts:
            yield from part.named_parameters()

    def policy(self, features: torch.Tensor) -> torch.Tensor:
        """Return the logits on the CPU, float32[rows, actions], for observations int8[rows, features]."""
        return self._frozen_actor(features) * LOGITS_PER_OUTPUT

    def lookahead_policy(self, features: torch.Tensor) -> torch.Tensor:
        """Return the same of the network that picks moves during lookahead, up to a factor."""
        return self._frozen_lookahead(features)

    def values(self, features: torch.Tensor) -> torch.Tensor:
        """Return expected margins of the seats to act, in tricks, against the learner and the bot, float32[rows, 2]."""
        return self._frozen_value(features) * TRICKS_PER_OUTPUT

    def update(self, batch: Batch, progress: float, *, value_only: bool = False) -> dict[str, float]:
        """Learn from positions and return the metrics.

        Args:
            batch: the positions.
            progress: share of the run that is done, 0 to 1, for the schedule.
            value_only: train all but the policy.
        """
        rate = self.config.learning_rate_at(max(1.0 - progress, 0.0))
        features, masks = batch.features.to(self._device), batch.masks.to(self._device)
        q_targets, returns = batch.q_targets.to(self._device), batch.returns.to(self._device)
        against_heuristic = batch.against_heuristic.to(self._device)
        total = spread = value_total = torch.zeros(())
        steps = 0
        for rows in self._minibatches(len(features), self.config.epochs):
            legal = masks[rows].float()
            count = legal.sum(1, keepdim=True)
            advantages = _centred(self.actor.network(features[rows]), legal, count)
            targets = _centred(q_targets[rows] / TRICKS_PER_OUTPUT, legal, count)
            loss = _mean_square(advantages - targets, count)
            if not value_only:
                self.actor.step(loss, len(rows), rate)
            values = self.value.network(features[rows]).gather(1, against_heuristic[rows].long()[:, None])[:, 0]
            value_loss = ((values - returns[rows] / TRICKS_PER_OUTPUT) ** 2).mean()
            self.value.step(value_loss, len(rows), rate)
            total = total + loss.detach().cpu()
            spread = spread + _mean_square(targets, count).cpu()
            value_total = value_total + value_loss.detach().cpu()
            steps += 1
        self._distill(features, masks, batch.logits.to(self._device) / LOGITS_PER_OUTPUT, rate)
        if self.opponent_model is not None and batch.played is not None:
            self._learn_opponents(self.opponent_model, batch.played, rate)
        self.updates += 1
        value_spread = steps * ((returns - returns.mean()) ** 2).mean().cpu() / TRICKS_PER_OUTPUT**2
        return {
            "losses/loss": float(total) / max(steps, 1),
            "losses/explained_variance": _explained(total, spread),
            "losses/value_explained_variance": _explained(value_total, value_spread),
            "charts/learning_rate": rate,
        }

    def _distill(self, features: torch.Tensor, masks: torch.Tensor, actor_outputs: torch.Tensor, rate: float) -> None:
        """Train the distilled network on the actor's outputs; in one pass, as these have no noise."""
        for rows in self._minibatches(len(features), 1):
            legal = masks[rows].float()
            count = legal.sum(1, keepdim=True)
            targets = _centred(actor_outputs[rows], legal, count)
            outputs = _centred(self.distilled.network(features[rows]), legal, count)
            self.distilled.step(_mean_square(outputs - targets, count), len(rows), rate)

    def _learn_opponents(self, model: TrainedNetwork, played: OpponentActions, rate: float) -> None:
        """Train the model of the opponents on the cross-entropy of their actions."""
        features, masks = played.features.to(self._device), played.masks.to(self._device)
        actions = played.actions.to(self._device)
        for rows in self._minibatches(len(features), self.config.epochs):
            logits = (model.network(features[rows]) * LOGITS_PER_OUTPUT).masked_fill(~masks[rows], -torch.inf)
            model.step(cross_entropy(logits, actions[rows]), len(rows), rate)

    def _minibatches(self, positions: int, epochs: int) -> Iterator[torch.Tensor]:
        """Yield the positions of each minibatch of this update, int64[at most batch_size].

        All have the same size, because matrix products of a new size are slow (:class:`FrozenMLP`), and all processes
        take equally many; the few positions left over differ from pass to pass.
        """
        rng = np.random.default_rng(np.random.SeedSequence((self.config.seed, self.processes.rank, self.updates)))
        fewest = self.processes.all_min(positions)
        size = min(self.config.batch_size, fewest)
        for _ in range(epochs if fewest else 0):
            order = torch.from_numpy(rng.permutation(positions))
            for rows in order[: fewest // size * size].split(size):
                yield rows.to(self._device)

    def state(self) -> dict[str, torch.Tensor]:
        """Return everything that the next update depends on, as tensors on the CPU."""
        tensors = {name: tensor for part in self._parts for name, tensor in part.state().items()}
        tensors["updates"] = torch.tensor([self.updates])
        if self._initial is not None:
            tensors |= {f"initial.{name}": weight.detach().cpu() for name, weight in self._initial.named_parameters()}
        return tensors

    def load_state(self, tensors: dict[str, torch.Tensor]) -> None:
        """Restore what :meth:`state` returned.

        Raises:
            KeyError: when something is missing.
            ValueError: when a tensor has another shape.
        """
        for part in self._parts:
            part.load_state(tensors)
        if self._initial is not None:
            with torch.no_grad():
                for name, weight in self._initial.named_parameters():
                    weight.copy_(tensor_of_shape(tensors, f"initial.{name}", weight.shape))
        self.freeze()
        self.updates = int(tensor_of_shape(tensors, "updates", torch.Size((1,))))


def _rescaled(layers: tuple[Layer, ...], factor: float) -> tuple[Layer, ...]:
    """Return layers whose outputs are ``factor`` times as large."""
    *hidden, (weight, bias) = layers
    return (*hidden, (weight * np.float32(factor), bias * np.float32(factor)))


def _explained(error: torch.Tensor, spread: torch.Tensor | float) -> float:
    """Return the explained share of a variance; NaN where there is none."""
    return 1.0 - float(error / spread) if spread > 0 else float("nan")


def _centred(outputs: torch.Tensor, legal: torch.Tensor, count: torch.Tensor) -> torch.Tensor:
    """Return outputs minus their mean over the legal actions, 0 for the others, float32[positions, actions]."""
    outputs = outputs * legal
    return (outputs - outputs.sum(1, keepdim=True) / count) * legal


def _mean_square(differences: torch.Tensor, count: torch.Tensor) -> torch.Tensor:
    """Return the mean over positions of the mean square over legal actions, a scalar."""
    return ((differences**2).sum(1) / count[:, 0]).mean()


class Learner:
    """A run without its records: deals, networks, past selves and checkpoints.

    Attributes:
        config: the configuration.
        run: the folder for checkpoints.
        processes: the processes that train together.
        decisions: learner decisions trained on so far, by all processes.
        collectors: play the deals, one for each game.
        algorithm: the networks and their update.
        provenance: the settings of the run, their changes, and its checkpoints.
        stop: whether to give up rollouts, evaluations and the last steps of a run.
    """

    def __init__(self, config: PolicyIterationConfig, run: RunDirectory, processes: Processes) -> None:
        """Build a new learner.

        Raises:
            ValueError: when the device does not exist, the network is too large, or a share is less than one
                environment.
        """
        check_device(config.device)
        self.config = config
        self.run = run
        self.processes = processes
        self.decisions = 0
        self.stop = StopRequest()
        self.provenance = Provenance(config.to_dict())
        self._rules = rules(config.rules)
        self._value: tuple[Layer, ...] = ()  # of checkpoints, once it is fitted
        self._pool: list[Checkpoint] = []
        self._league: dict[str, Checkpoint] = {}  # its members by name, once it has begun
        self._baselines = {
            game: [(name, make_agent(name, game)) for name in config.evaluate_against] for game in config.shares
        }
        self._set_collectors(config.opponents, [0] * len(config.shares))
        if config.league_start:  # refuse it now, not hours into the run
            members = [(LEAGUE_SHARE / LEAGUE_SIZE, False)] * LEAGUE_SIZE
            for collector in self.collectors:
                OpponentMix([(1 - LEAGUE_SHARE, True), *members], collector.batch.size)
        layout, first = input_layout(self._rules, config.inputs), self.collectors[0]
        flags = [layout[name] for name in RULE_FLAGS] if config.inputs == UNIVERSAL else []
        scale = feature_scale(first.high, layout.get("low"), flags)
        try:
            self.algorithm = PolicyIteration(config, scale, first.num_actions, processes)
        except RuntimeError as error:  # torch's error when memory is short
            raise ValueError(f"the network cannot be made: {str(error).splitlines()[0]}") from None

    def _set_collectors(self, opponents: Mapping[str, float], dealt: Sequence[int]) -> None:
        """Make a collector for each game, with its share of the environments.

        Args:
            opponents: shares of the deals against ``self`` and others by name.
            dealt: deals before, for each game.
        """
        config = self.config
        ends = np.round(np.cumsum([0.0, *config.shares.values()]) * config.num_envs).astype(int)
        self.collectors: list[Collector] = []
        for (game, share), envs, deals in zip(config.shares.items(), np.diff(ends), dealt, strict=True):
            if not envs:
                raise ValueError(
                    f"games: a share of {share:.3g} for {game!r} is less than one environment of "
                    f"{config.num_envs} (num_envs)"
                )
            makers = {name: self._maker(name, rules(game)) for name in opponents if name != SELF}
            self.collectors.append(
                Collector(
                    game,
                    int(envs),
                    config.num_steps,
                    opponents,
                    makers,
                    seed=config.seed,
                    inputs=config.inputs,
                    # Past selves are networks without lookahead: they use no histories.
                    history=any(make(0).uses_games for name, make in makers.items() if name != POOL),
                    rank=self.processes.rank,
                    dealt=deals,
                )
            )
        self._targets = [ActionValueTargets(collector, config) for collector in self.collectors]

    def _maker(self, name: str, game: Rules) -> Callable[[int], Agent]:
        """Return the function from the number of a rollout to its opponent of this name in a game."""
        if name == POOL:
            return lambda rollout: PolicyAgent(self._past_self(rollout), 1.0, rules=game)
        member = self._league.get(name)
        agent = PolicyAgent(member, 1.0, rules=game) if member else make_agent(name, game)
        return lambda _: agent

    def _past_self(self, rollout: int) -> Checkpoint:
        seed = np.random.SeedSequence([self.config.seed, self.processes.rank, rollout])
        return self._pool[np.random.default_rng(seed).integers(len(self._pool))]

    def _begin_league(self) -> None:
        """Deal new deals, against the members of the league, and learn a model of the opponents.

        Raises:
            ValueError: when the early checkpoints are gone.
        """
        self._league = self.processes.broadcast(self._read_league() if self.processes.is_first else None)
        share = LEAGUE_SHARE / len(self._league)
        dealt = [collector.dealt for collector in self.collectors]
        self._set_collectors({SELF: 1 - LEAGUE_SHARE, **dict.fromkeys(self._league, share)}, dealt)
        self.algorithm.begin_league()

    def _read_league(self) -> dict[str, Checkpoint]:
        """Return early checkpoints, evenly spaced, without the untrained one, by name."""
        early = self.run.checkpoint_paths(self.config.league_until)[1:]
        paths = early or self.run.checkpoint_paths()[1:2]  # a rollout may be longer than that part
        if not paths:
            raise ValueError(f"{str(self.run.checkpoints)!r} is empty: the members of the league are missing")
        numbers = np.linspace(0, len(paths) - 1, min(LEAGUE_SIZE, len(paths))).round().astype(int)
        return {f"checkpoint:{paths[number]}": load_checkpoint(paths[number]) for number in numbers}

    def _is_league_due(self, decisions: int) -> bool:
        return not self._league and 0 < self.config.league_start <= decisions

    def begin(self) -> None:
        """Start from ``init``, if it is set, and write the first checkpoint.

        Raises:
            ValueError: when there is no such network, or it differs from the settings.
        """
        if self.config.init:
            self.algorithm.start_from(self._start(), self.config.init)
        self.save(0.0)  # the first member of the pool

    def _start(self) -> Checkpoint:
        """Return the network that the run starts from."""
        name, config = self.config.init, self.config
        try:
            start = find_network(name)
        except ValueError as error:
            raise ValueError(f"init: {error}") from None
        if start.ranks != UNPLAYED:
            raise ValueError(f"init: {name!r} sees ranks {start.ranks}, not {UNPLAYED}")
        if start.inputs != config.inputs:
            raise ValueError(f"init: {name!r} has {start.inputs} inputs: set inputs to {start.inputs}")
        if start.suit_layers != config.suit_layers:
            raise ValueError(
                f"init: {name!r} has {start.suit_layers} suit layers: set suit_layers to {start.suit_layers}"
            )
        return start

    def train_once(self, progress: Callable[[int], None]) -> dict[str, float]:
        """Play a rollout, learn from it, and return the metrics.

        Args:
            progress: called with the decisions so far, the rollout's included, once it is played.

        Raises:
            FloatingPointError: when a loss or a weight is not finite, or a loss has exploded.
            ConnectionError: when another process is gone.
            Stopped: when any process is to stop; the rollout is dropped, and nothing has changed.
        """
        before = [collector.state() for collector in self.collectors]
        self.algorithm.freeze()
        batch, own = None, 0
        try:
            batch, own = self._collect()
        except Stopped:
            pass
        except FloatingPointError as error:
            raise self._diverged(str(error)) from None
        played, stopping = self.processes.all_sum(own, self.stop.is_made or batch is None)
        if batch is None or stopping:
            for collector, state in zip(self.collectors, before, strict=True):
                collector.load_state(state)
            raise Stopped
        progress(self.decisions + played)
        metrics = self.algorithm.update(
            batch, self.decisions / self.config.decisions, value_only=self._trains_value_only
        )
        self.decisions += played
        self._check(metrics)
        if self._is_league_due(self.decisions):
            self._begin_league()
        return metrics

    @property
    def _trains_value_only(self) -> bool:
        """Whether the next update leaves the policy unchanged: the initial network is better than its first targets."""
        return bool(self.config.init) and self.decisions < self.config.value_start

    def _collect(self) -> tuple[Batch, int]:
        """Play a rollout; return its positions with targets, and the number of the learner's decisions."""
        config, algorithm = self.config, self.algorithm
        is_deep = not self._league and self.decisions >= max(config.lookahead_start, config.value_start)
        positions, played, decisions = [], [], 0
        for collector, targets in zip(self.collectors, self._targets, strict=True):
            targets.collect(
                lambda features: self._policy(features) * INVERSE_TEMPERATURE,
                algorithm.lookahead_policy,
                algorithm.values,
                config.lookahead if is_deep else 1,
            )
            rollout, mask = collector.rollout, targets.mask
            positions.append(
                (
                    rollout.features[mask],
                    rollout.masks[mask],
                    targets.q_targets[mask],
                    rollout.logits[mask] / INVERSE_TEMPERATURE,
                    targets.returns[mask],
                    torch.from_numpy(collector.against_heuristic).expand(mask.shape)[mask],
                )
            )
            if algorithm.opponent_model is not None:
                is_opponent = ~rollout.learner_mask | torch.from_numpy(collector.plays_itself)
                chosen = is_opponent & rollout.has_choice
                played.append((rollout.features[chosen], rollout.masks[chosen], rollout.actions[chosen]))
            decisions += int(rollout.learner_mask.sum())
        others = OpponentActions(*map(torch.cat, zip(*played, strict=True))) if played else None
        features, masks, q_targets, logits, returns, against = map(torch.cat, zip(*positions, strict=True))
        return Batch(features, masks, q_targets, logits, returns, against, others), decisions

    @property
    def is_stopping(self) -> bool:
        """Whether any process is to stop; all ask at the same time."""
        return any(self.processes.all_sum(self.stop.is_made))

    def _policy(self, features: torch.Tensor) -> torch.Tensor:
        """Return the policy's logits; a rollout, which asks at every step, is given up here."""
        self.stop.check()
        return self.algorithm.policy(features)

    def _check(self, metrics: dict[str, float]) -> None:
        losses = {name: value for name, value in metrics.items() if name.startswith("losses/")}
        # Explained variance is undefined if all returns are equal.
        wrong = [name for name, value in losses.items() if not abs(value) < EXPLODED and not name.endswith("variance")]
        reason = f"{wrong[0]} is {losses[wrong[0]]:g}" if wrong else None
        for name, weight in self.algorithm.named_parameters():
            if reason is None and not bool(torch.isfinite(weight).all()):
                reason = f"{name} is not finite"
        if reason is not None:
            raise self._diverged(reason)

    def _diverged(self, reason: str) -> FloatingPointError:
        return FloatingPointError(
            f"training diverged before decision {self.decisions}: {reason}; the checkpoints before it are in "
            f"{self.run.checkpoints}"
        )

    def checkpoint(self, results: dict[str, Any] | None = None) -> Checkpoint:
        """Return a checkpoint of the current policy, ``results`` in its model card, and the value once it is fitted."""
        checkpoint = self._checkpoint_of(self.algorithm.layers())
        return replace(checkpoint, results=results or {}, suit_layers=self.config.suit_layers, value=self._value)

    def _checkpoint_of(self, layers: tuple[Layer, ...]) -> Checkpoint:
        training = {
            "algorithm": "approximate policy iteration: regression on action values, bootstrapped from its own value "
            "network",
            "decisions": self.decisions,
            "config": self.config.to_dict(),
            "code": code_version(),
        }
        if self.provenance.changes:
            training["changes"] = self.provenance.changes
        return Checkpoint(
            layers,
            self._rules,
            training,
            logits_per_trick=LOGITS_PER_TRICK,
            endgame=EXACT,
            ranks=UNPLAYED,
            inputs=self.config.inputs,
        )

    def save(self, seconds: float) -> None:
        """Write a checkpoint, which joins the pool, that of the distilled network, and a snapshot."""
        checkpoint = self.checkpoint()
        if self.processes.is_first:
            path = self.run.checkpoint_path(self.decisions)
            checkpoint.save(path)
            self.provenance.add_checkpoint(path)
        self._pool.append(checkpoint)
        del self._pool[: -self.config.pool_size]
        self.save_snapshot(seconds)
        if self.processes.is_first:
            self._checkpoint_of(self.algorithm.distilled_layers()).save(self.run.distilled)

    def save_snapshot(self, seconds: float) -> None:
        """Write the snapshot to resume from."""
        own = {
            f"{number}.{name}": torch.from_numpy(array)
            for number, collector in enumerate(self.collectors)
            for name, array in collector.state().items()
        }
        deals = self.processes.all_gather(own)
        if self.processes.is_first:
            Snapshot(self.decisions, seconds, self.algorithm.state(), deals, self.provenance).save(self.run.resume)

    def resume(self) -> float:
        """Restore the run where it stopped, and return its seconds of training so far.

        What a killed run recorded after the snapshot is dropped. Intended changes of settings are recorded.

        Raises:
            ValueError: when it cannot be resumed; then no file has changed.
        """
        path = self.run.resume
        snapshot, past = self.processes.broadcast(self._read_saved() if self.processes.is_first else None)
        try:
            if len(snapshot.deals) != self.processes.size:
                raise ValueError(f"it is of {len(snapshot.deals)} processes, and these are {self.processes.size}")
            if self._is_league_due(snapshot.decisions):
                self._begin_league()
            is_changed = snapshot.provenance.take_changes(self.config, self.run.overrides, snapshot.decisions)
            own = snapshot.deals[self.processes.rank]
            for number, collector in enumerate(self.collectors):
                prefix = f"{number}."
                collector.load_state(
                    {name.removeprefix(prefix): own[name].numpy() for name in own if name.startswith(prefix)}
                )
            self.algorithm.load_state(snapshot.learner)
        except UNREADABLE as error:
            raise cannot_resume(path, error) from None
        self.decisions = snapshot.decisions
        self.provenance = snapshot.provenance
        self._pool = list(past)
        if self.processes.is_first:
            self.run.drop_records_after(snapshot.decisions)
        if is_changed:
            self.save_snapshot(snapshot.seconds)
        if self.run.overrides and self.processes.is_first:
            # Also where a change was recorded, and the run killed before it wrote the settings.
            self.run.write_config(self.config)
        return float(snapshot.seconds)

    def _read_saved(self) -> tuple[Snapshot, list[Checkpoint]]:
        """Read the snapshot and the pool."""
        snapshot = Snapshot.load(self.run.resume)
        needed = self.config.pool_size if POOL in self.config.opponents else 0
        paths = self.run.checkpoint_paths(snapshot.decisions)
        try:
            snapshot.provenance.check_checkpoints(paths, needed)
        except ValueError as error:
            raise cannot_resume(self.run.resume, error) from None
        past = [load_checkpoint(path) for path in paths[-self.config.pool_size :]]
        if not past and needed:
            raise ValueError(f"{str(self.run.checkpoints)!r} is empty: the pool's past selves are missing")
        return snapshot, past

    def fit_value(self, begin_phase: Callable[[str], None]) -> None:
        """Fit the value network of the checkpoints to come to self-play of the current policy.

        Args:
            begin_phase: called with what is about to be done, if it takes seconds.

        Raises:
            Stopped: when the run is to stop.
        """
        config = self.config
        if config.value_deals:
            begin_phase("fitting the value network")
            self.algorithm.freeze()
            outcomes = self_play_outcomes(self._policy, config.shares, config.value_deals, config.seed, config.inputs)
            self._value = fit_value(self.algorithm.value.layers(), config.suit_layers, outcomes)

    def evaluate(self, deals: int) -> tuple[MatchResult, ...]:
        """Play the policy, at its best action, against each baseline, on the same mirrored deals every time.

        Raises:
            Stopped: when the run is to stop.
        """
        checkpoint, games = self.checkpoint(), self.config.shares
        results: list[MatchResult] = []
        for game in games:
            matches = evaluate(checkpoint, self._baselines[game], deals, rules(game), EXACT, self.stop)
            titles = [match.second if len(games) == 1 else f"{match.second}, {game}" for match in matches]
            results += [replace(match, second=title) for match, title in zip(matches, titles, strict=True)]
        return tuple(results)

    @property
    def is_done(self) -> bool:
        """Whether all decisions have been trained on."""
        return self.decisions >= self.config.decisions
