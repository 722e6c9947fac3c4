"""What a learner wins from ``champion``, whose policy it knows.

``python -m lab.strength.learned_responses history --file history.pt``

Two learners, both by the regression on action values of ``training/policy_iteration.py``, with every deal against the
agent and its own replies in lookahead:

- ``history`` starts from scratch and sees, beside the universal encoding, who led, played and won what in which trick;
- ``wide`` starts from the agent itself, its hidden layers doubled without a change of what they compute (Chen,
  Goodfellow and Shlens, "Net2Net", arXiv 1511.05641).

A run that its ``--seconds`` end goes on from its file.
"""

from __future__ import annotations

import argparse
import json
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import nn

from german_whist.agents.policy.canonical import canonical_views, decode_actions
from german_whist.agents.policy.checkpoint import UNPLAYED, Checkpoint
from german_whist.agents.policy.input_kernels import RULE_FLAGS
from german_whist.agents.policy.inputs import input_high, input_layout, network_inputs
from german_whist.agents.policy.network.layers import NUM_SUITS, UNIVERSAL, Layer
from german_whist.agents.pretrained.catalog import find_network
from german_whist.arena.match import play_match
from german_whist.envs.agent import Actions, Games, Views
from german_whist.envs.engine.endgame_hook import EXACT
from german_whist.envs.engine.rules import rules
from german_whist.envs.observation.history import EVENTS
from german_whist.envs.observation.vector_kernels import write_masks
from german_whist.envs.utils.jit import kernel
from german_whist.training.config import PolicyIterationConfig
from german_whist.training.networks import (
    ACTOR_GAIN,
    HIDDEN_GAIN,
    FrozenMLP,
    SuitMLP,
    TrainedNetwork,
    feature_scale,
    native_dtype,
    new_mlp,
)
from german_whist.training.policy_iteration import INVERSE_TEMPERATURE, Batch, PolicyIteration
from german_whist.training.rollouts import ActionValueTargets, Collector, Network, Rollout
from german_whist.training.run.processes import Processes
from german_whist.training.run.records import EVALUATION_SEED

AGENT = "champion"
LEARNERS = ("history", "wide")
LEARNING_RATES = {"history": 0.002, "wide": 3e-4}  # of `german-whist exploit`, from scratch and from trained weights
GAME = rules("classic")
TRICKS = GAME.foreplay  # endgames are exact, so no later tricks are seen
KINDS = 3  # of cards in a trick: played by this seat, by the opponent, turned up as its prize
OF_SUIT = 13 * TRICKS * KINDS
HISTORY = NUM_SUITS * OF_SUIT + 2 * TRICKS  # one feature for each card, trick and kind; who led and who won each trick
CURVE, CURVE_DEALS = 8, 1000

_TURNED, _PLAYED, _WON = ([event.name for event in EVENTS].index(name) for name in ("turned", "played", "won"))


@kernel
def write_history(
    tokens: npt.NDArray[np.int8],
    lengths: npt.NDArray[np.integer[Any]],
    relabeling: npt.NDArray[np.int8],
    out: npt.NDArray[np.int8],
) -> None:
    """Write the features of event histories, int8[n, HISTORY], with suits in the order of the relabeling."""
    for row in range(len(tokens)):
        out[row] = 0
        last = 0
        for index in range(lengths[row]):
            event, who, card, trick = tokens[row, index]
            at = trick if event == _TURNED else trick - 1
            if at < 0 or at >= TRICKS:
                continue
            if event == _WON:
                out[row, NUM_SUITS * OF_SUIT + TRICKS + at] = who == 1
            elif event in (_TURNED, _PLAYED):
                slot = 0
                while relabeling[row, 104 + slot] != (card - 1) // 13:
                    slot += 1
                kind = 2 if event == _TURNED else who - 1
                out[row, slot * OF_SUIT + ((card - 1) % 13 * TRICKS + at) * KINDS + kind] = 1
                if event == _PLAYED and trick != last:
                    out[row, NUM_SUITS * OF_SUIT + at] = who == 1
                    last = trick


def history_features(games: Games, relabeling: npt.NDArray[np.int8]) -> npt.NDArray[np.int8]:
    """Return the features of the games of canonical views, int8[n, HISTORY]."""
    tokens, lengths = games.histories()
    out = np.empty((len(tokens), HISTORY), np.int8)
    write_history(tokens, lengths, relabeling, out)
    return out


class HistoryMLP(SuitMLP):
    """A policy with suit layers that also see the history: each suit its cards, and who led and won."""

    def __init__(self, scale: torch.Tensor, hidden: list[int], outputs: int, suit_layers: int) -> None:
        """Build the layers; see :class:`SuitMLP`."""
        super().__init__(scale, hidden, outputs, ACTOR_GAIN, suit_layers)
        suits = torch.arange(NUM_SUITS)[:, None]
        of_suit = len(scale) + OF_SUIT * suits + torch.arange(OF_SUIT)
        shared = (len(scale) + NUM_SUITS * OF_SUIT + torch.arange(2 * TRICKS)).expand(NUM_SUITS, -1)
        inputs = torch.cat([self.inputs.view(NUM_SUITS, -1), of_suit, shared], 1)
        self.scale = torch.cat([self.scale, torch.ones(inputs.shape[1] - len(self.scale))])
        self.inputs = inputs.flatten()
        first = nn.Linear(inputs.shape[1], hidden[0])
        nn.init.orthogonal_(first.weight, HIDDEN_GAIN)
        nn.init.zeros_(first.bias)
        self.layers[0] = first


class NetworkAgent:
    """A network as an agent: the best action, with the history or without."""

    def __init__(self, network: Network, *, with_history: bool) -> None:
        """Take a network: float32[rows, actions] for int8[rows, features]."""
        self._network = network
        self.uses_games = with_history

    def act(self, views: Views, rng: Any, games: Games | None = None) -> Actions:
        """Return one legal action per view, int64[n]."""
        canonical, relabeling = canonical_views(views, UNPLAYED)
        features = network_inputs(canonical, GAME, UNIVERSAL)
        if games is not None:
            features = np.concatenate([features, history_features(games, relabeling)], 1)
        logits = self._network(torch.from_numpy(features)).numpy()
        masks = np.empty(logits.shape, np.int8)
        write_masks(np.ascontiguousarray(canonical["legal"]), masks)
        return decode_actions(np.where(masks == 1, logits, -np.inf).argmax(1), relabeling)


class HistoryCollector(Collector):
    """Adds the history to the features of every decision."""

    def __init__(self, *args: Any, **settings: Any) -> None:
        """Deal the first deals; see :class:`Collector`."""
        super().__init__(*args, history=True, **settings)
        steps, envs, features = self.rollout.features.shape
        self._encoded = self.rollout.features[0].clone()
        self.rollout = Rollout.empty(steps, envs, features + HISTORY, self.num_actions)

    def _observe(self, step: int) -> None:
        whole = self.rollout.features
        self.rollout.features = self._encoded.expand(whole.shape[0], -1, -1)
        super()._observe(step)
        self.rollout.features = whole
        games = Games(self.batch.history)
        whole[step] = torch.cat([self._encoded, torch.from_numpy(history_features(games, self.relabeling))], 1)


class Responder(PolicyIteration):
    """The networks of a learner that knows the agent."""

    def __init__(
        self, config: PolicyIterationConfig, scale: torch.Tensor, actions: int, agent: Network, *, with_history: bool
    ) -> None:
        """Build the networks; ``agent`` replies in lookahead."""
        self._agent = agent
        super().__init__(config, scale, actions, Processes())
        if with_history:
            network = HistoryMLP(scale, config.hidden, actions, config.suit_layers)
            network.compute_dtype = native_dtype(self._device)
            self.actor = TrainedNetwork("actor", network.to(self._device), config, self.processes)
        self._parts = [self.actor, self.value]
        self.freeze()

    def lookahead_policy(self, features: torch.Tensor) -> torch.Tensor:
        """Return what the agent plays."""
        return self._agent(features)

    def _distill(self, features: torch.Tensor, masks: torch.Tensor, actor_outputs: torch.Tensor, rate: float) -> None:
        """Leave out the distilled network, which nothing asks here."""


def widened(layers: tuple[Layer, ...], suit_layers: int, seed: int) -> tuple[Layer, ...]:
    """Return a policy of twice the width that computes the same.

    Every hidden unit is there twice, and what it gives is shared between the two at random.
    """
    rng = np.random.default_rng(seed)
    trunk, cards = suit_layers, len(layers) - 1 - suit_layers  # the first layers of trunk and cards
    sizes = [len(bias) for _, bias in layers]
    wide: list[Layer] = []
    for number, (weight, bias) in enumerate(layers):
        groups = [sizes[number - 1]]  # of units of the layers before, as they are joined
        if number == trunk:
            groups = groups * NUM_SUITS
        elif number == cards:
            groups = [sizes[trunk - 1], *groups]
        columns = [weight]
        if number:
            columns = []
            for part in np.split(weight, np.cumsum(groups)[:-1], axis=1):
                share = rng.uniform(0.25, 0.75, part.shape).astype(np.float32)
                columns += [part * share, part * (1 - share)]
        copies = 1 if number == len(layers) - 1 else 2
        wide.append((np.tile(np.concatenate(columns, 1), (copies, 1)), np.tile(bias, copies)))
    return tuple(wide)


def learner_config(learner: str, agent: Checkpoint, given: argparse.Namespace) -> PolicyIterationConfig:
    """Return the settings of a learner: those of `german-whist exploit`, with networks of the agent's size or twice."""
    return PolicyIterationConfig(
        seed=given.seed,
        decisions=given.decisions,
        device=given.device,
        threads=given.threads,
        num_envs=given.num_envs,
        inputs=UNIVERSAL,
        hidden=[units * (2 if learner == "wide" else 1) for units in agent.sizes[1:-1]],
        suit_layers=agent.suit_layers,
        value_hidden=agent.value_sizes[1:-1],
        batch_size=1024,
        epochs=2,
        learning_rate=LEARNING_RATES[learner],
        stock_rotations=4,
        margin_tanh_scale=5,
        opponents={AGENT: 1.0},
        evaluate_against=[AGENT],
    )


class Run:
    """A learner in training, and its curve."""

    def __init__(self, learner: str, given: argparse.Namespace) -> None:
        """Build it, or go on from its file."""
        agent = find_network(AGENT)
        config = learner_config(learner, agent, given)
        device, with_history = torch.device(config.device), learner == "history"
        torch.set_num_threads(config.threads)
        layout = input_layout(GAME, UNIVERSAL)
        scale = feature_scale(input_high(GAME, UNIVERSAL), layout.get("low"), [layout[name] for name in RULE_FLAGS])
        copy = new_mlp(scale, agent.sizes[1:-1], agent.sizes[-1], ACTOR_GAIN, agent.suit_layers)
        copy.compute_dtype = native_dtype(device)
        copy.load_raw_layers(agent.layers, AGENT)
        known = FrozenMLP(copy.to(device))
        opponent = NetworkAgent(known, with_history=False)
        make = HistoryCollector if with_history else Collector
        self.config = config
        self.collector = make(
            "classic",
            config.num_envs,
            config.num_steps,
            config.opponents,
            {AGENT: lambda _: opponent},
            seed=config.seed,
            inputs=UNIVERSAL,
        )
        self.targets = ActionValueTargets(self.collector, config)
        self.responder = Responder(config, scale, agent.sizes[-1], known, with_history=with_history)
        if not with_history:
            self.responder.start_from(
                replace(agent, layers=widened(agent.layers, agent.suit_layers, given.seed)), AGENT
            )
        self.with_history = with_history
        self.decisions, self.seconds = 0, 0.0
        self.curve: list[dict[str, Any]] = []

    def play(self, deals: int, seed: int) -> dict[str, Any]:
        """Return what the responder wins from the agent on mirrored deals."""
        self.responder.freeze()
        agent = NetworkAgent(self.responder.policy, with_history=self.with_history)
        found = play_match(agent, AGENT, deals, seed, GAME, endgame=EXACT)
        return {"decisions": self.decisions, "seconds": round(self.seconds)} | {
            key: value
            for key, value in found.to_dict().items()
            if key in ("win_rate", "interval", "margin", "margin_interval")
        }

    def train_once(self) -> None:
        """Play a rollout against the agent, and learn from it."""
        began = time.perf_counter()
        responder, targets, rollout = self.responder, self.targets, self.collector.rollout
        responder.freeze()
        targets.collect(
            lambda features: responder.policy(features) * INVERSE_TEMPERATURE,
            responder.lookahead_policy,
            responder.values,
            1,
        )
        mask = targets.mask
        batch = Batch(
            rollout.features[mask],
            rollout.masks[mask],
            targets.q_targets[mask],
            rollout.logits[mask] / INVERSE_TEMPERATURE,
            targets.returns[mask],
            torch.zeros(int(mask.sum()), dtype=torch.int8),
        )
        responder.update(batch, self.decisions / self.config.decisions)
        self.decisions += int(rollout.learner_mask.sum())
        self.seconds += time.perf_counter() - began

    def save(self, path: Path) -> None:
        """Write everything that the next rollout depends on."""
        deals = {name: torch.from_numpy(array) for name, array in self.collector.state().items()}
        state = {"learner": self.responder.state(), "deals": deals, "curve": self.curve}
        torch.save(state | {"decisions": self.decisions, "seconds": self.seconds}, path)

    def load(self, path: Path) -> None:
        """Go on from a file."""
        state = torch.load(path, weights_only=True)
        self.collector.load_state({name: tensor.numpy() for name, tensor in state["deals"].items()})
        self.responder.load_state(state["learner"])
        self.curve, self.decisions, self.seconds = state["curve"], state["decisions"], state["seconds"]


def main() -> None:
    """Train a learner and print its curve and what it wins, a JSON line each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("learner", choices=LEARNERS)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--decisions", type=int, default=3_000_000, help="of the learner")
    parser.add_argument("--deals", type=int, default=5000, help="mirrored deals at the end, of --deals-seed")
    parser.add_argument("--deals-seed", type=int, default=7302)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--num-envs", type=int, default=2048)
    parser.add_argument("--seconds", type=float, default=float("inf"), help="stop after so long, to go on later")
    parser.add_argument("--file", type=Path, required=True, help="the run's file")
    given = parser.parse_args()
    stop = time.monotonic() + given.seconds
    run = Run(given.learner, given)
    if given.file.exists():
        run.load(given.file)
    while True:
        if run.decisions >= len(run.curve) * given.decisions / CURVE:
            run.curve.append(run.play(CURVE_DEALS, EVALUATION_SEED))
            print(json.dumps(run.curve[-1]), flush=True)
        if run.decisions >= given.decisions:
            break
        run.train_once()
        if time.monotonic() > stop:
            run.save(given.file)
            print(f"{run.decisions} decisions in {run.seconds:.0f} s", flush=True)
            return
    run.save(given.file)
    print(
        json.dumps({"learner": given.learner, "seed": given.seed} | run.play(given.deals, given.deals_seed)), flush=True
    )


if __name__ == "__main__":
    main()
