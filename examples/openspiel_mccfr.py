"""OpenSpiel: external-sampling MCCFR on the game of six cards: ``python examples/openspiel_mccfr.py``.

CFR keeps both seats' counterfactual values apart, so twice running is no matter, and it needs no mask: information
states know their legal actions. Prints how far from an equilibrium the average policy is, then plays a match with it.
It printed, in 17 s: NashConv 0.092 after 2000 iterations, 0.506 of uniform play; 52.6% against random, 51.8% 53.3%
"""

import numpy as np
import pyspiel
from open_spiel.python.algorithms import exploitability
from open_spiel.python.algorithms.external_sampling_mccfr import AverageType, ExternalSamplingSolver
from open_spiel.python.policy import UniformRandomPolicy

import german_whist as gw
import german_whist.openspiel as ospiel

RULES = "six_cards"


class PolicyBot(pyspiel.Bot):
    """Samples from a tabular policy."""

    def __init__(self, policy, seed=1):
        pyspiel.Bot.__init__(self)
        self.policy, self.rng = policy, np.random.default_rng(seed)

    def restart(self):
        pass

    def step(self, state):
        actions, probabilities = zip(*self.policy.action_probabilities(state).items(), strict=True)
        return int(self.rng.choice(actions, p=probabilities))


def main(iterations=2000, deals=1000):
    np.random.seed(1)
    game = ospiel.load_game(RULES)
    solver = ExternalSamplingSolver(game, AverageType.SIMPLE)
    for _ in range(iterations):
        solver.iteration()
    policy = solver.average_policy()
    uniform = exploitability.nash_conv(game, UniformRandomPolicy(game))
    learned = exploitability.nash_conv(game, policy, use_cpp_br=True)
    print(f"NashConv {learned:.3f} after {iterations} iterations, {uniform:.3f} of uniform play")
    learner = ospiel.BotAgent(lambda game, player: PolicyBot(policy), rules=RULES, name="mccfr")
    return gw.play_match(learner, "random", deals, seed=1000, rules=RULES)


if __name__ == "__main__":
    print(f"{(result := main()).win_rate:.1%} against random, 95 % interval", *(f"{p:.1%}" for p in result.interval))
