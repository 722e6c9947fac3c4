"""OpenSpiel: external-sampling MCCFR on six cards with a draft: ``python examples/openspiel_mccfr.py``.

CFR keeps the counterfactual values of the seats apart, so a seat may well move twice in a row, and it needs no mask,
because information states know their legal actions. Prints how far the average policy is from an equilibrium, then
plays a match with it. As so few cards leave most to luck, it also prints what the best response to ``random`` wins.
It printed, in 24 s: NashConv 0.054 after 5000 iterations, 0.639 of uniform play; 66.0 % is what the best response to
random wins; 60.9 % against random, 95 % interval 59.7 to 62.0 %
"""

import numpy as np
import pyspiel
from open_spiel.python.algorithms import exploitability
from open_spiel.python.algorithms.external_sampling_mccfr import AverageType, ExternalSamplingSolver
from open_spiel.python.policy import UniformRandomPolicy

import german_whist as gw
import german_whist.openspiel as ospiel

RULES = "six_cards:draft=true"  # without the draft the best response wins only 56.3 %


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


def main(iterations=5000, deals=1000):
    np.random.seed(1)
    game = ospiel.load_game(RULES, reward="win")
    solver = ExternalSamplingSolver(game, AverageType.SIMPLE)
    for _ in range(iterations):
        solver.iteration()
    policy = solver.average_policy()
    uniform = exploitability.nash_conv(game, UniformRandomPolicy(game), use_cpp_br=True)
    learned = exploitability.nash_conv(game, policy, use_cpp_br=True)
    print(f"NashConv {learned:.3f} after {iterations} iterations, {uniform:.3f} of uniform play")
    print(f"{50 + 25 * uniform:.1f} % is what the best response to random wins: NashConv adds the gains of two seats")
    learner = ospiel.BotAgent(lambda game, player: PolicyBot(policy), rules=RULES, reward="win", name="mccfr")
    return gw.play_match(learner, "random", deals=deals, seed=1000, rules=RULES)


if __name__ == "__main__":
    result = main()
    low, high = result.interval
    print(f"{100 * result.win_rate:.1f} % against random, 95 % interval {100 * low:.1f} to {100 * high:.1f} %")
