"""Runs every row kernel in tensors on the CPU, so that each has a signature to be compiled for a GPU with."""

from __future__ import annotations

import numpy as np
import torch

from german_whist.agents.asking import ask
from german_whist.agents.policy.agent import PolicyAgent
from german_whist.agents.pretrained import load_pretrained
from german_whist.agents.registry import make_agent
from german_whist.game.utils.backend import TorchBackend
from german_whist.simulator.batch import DealBatch
from german_whist.simulator.episodes import Episodes
from german_whist.solver import endgame_batch
from german_whist.solver.endgame_batch import EndgameBatch
from german_whist.solver.lookup_kernels import write_tricks_by_seat
from german_whist.solver.tablebase.cache import open_tablebase
from german_whist.training.policy_iteration.collector import Collector
from german_whist.training.policy_iteration.config import PolicyIterationConfig
from german_whist.training.policy_iteration.targets import ActionValueTargets

CPU = TorchBackend("cpu")


def play_a_batch() -> None:
    DealBatch("small", 8, device="cpu", history=True, canonical=True).history()
    batch = DealBatch("small", 8, device="cpu", endgame="exact", history=True)
    batch.deal_decks([list(batch.rules.cards)], [1], [0])
    network = PolicyAgent(load_pretrained("small"))
    while not batch.done.all():
        batch.observe(seats=batch.turn)
        for agent in (make_agent("greedy"), make_agent("heuristic")):
            ask(agent, batch.decisions())
        network.act_with_torch(batch.decisions())
        batch.step(torch.where(batch.done, 0, batch.action_mask().argmax(1)))
    batch.observe()
    batch.returns("points")
    batch.margins()
    episodes = Episodes("tiny", 2, device="cpu")
    episodes.reset(0)
    episodes.step(episodes.every_row, episodes.batch.action_mask().argmax(1))


def solve_endgames() -> None:
    hands = torch.tensor([0b0101, 0b1010])
    assert EndgameBatch(hands[:1], hands[1:], -1, False, -1, CPU).look_up().tolist() == [0]
    states = DealBatch("six_cards", 4, device="cpu").states
    tricks = EndgameBatch.in_states(states).look_up()
    CPU.launch(write_tricks_by_seat, 4, states, tricks, CPU.empty((4, 2), np.int8))


def train(game: str) -> None:
    config = PolicyIterationConfig(rules=game, num_envs=8, num_steps=36, opponents={"self": 1, "heuristic": 1})
    makers = {"heuristic": lambda rollout: make_agent("heuristic")}
    collector = Collector(game, 8, 36, config.opponents, makers, seed=0)
    targets = ActionValueTargets(collector, config)
    collector.begin_rollout()
    for step in range(36):
        collector.observe(step)
        collector.choose(step, lambda features: torch.zeros((len(features), collector.num_actions)))
        targets.compute(
            step,
            lambda features: torch.zeros((len(features), collector.num_actions)),
            lambda features: torch.zeros((len(features), 1)),
            2,
        )
        collector.play(step)
    targets.write_returns()


def run_every_kernel() -> None:
    # Smaller tablebases are of the same type.
    endgame_batch.open_complete_tablebase = open_tablebase  # type: ignore[attr-defined]
    play_a_batch()
    solve_endgames()
    train("small")
    train("classic")  # its endgames are searched
