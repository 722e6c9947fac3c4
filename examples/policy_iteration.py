"""Policy iteration from nothing on ``DealBatch``, in plain torch: ``python examples/policy_iteration.py``.

The algorithm of ``trainer: policy_iteration`` (``training/``), for one game. In an update,

1. the policy plays both seats of many deals. At every decision *each* legal card is tried in a copy of the true deal,
   and the policy plays on to the same seat's next decision, where a value network says how the deal will end; a deal
   whose endgame has begun is worth its exact margin. That gives Q(o, a), a number for each legal card.
2. The actor f(o, a) regresses on Q, both minus their means over the legal cards. All cards of a decision are tried
   against the same hidden cards, so the luck of the deal cancels out of their differences. The actor does not see the
   hidden cards, so it learns the mean over all that they could be.
3. The value network v(o) regresses on the returns: Q of the best card, or what came of playing it (``returns``).

Moving averages of the weights play, look ahead and are the result. The trainer also plays past selves, tries cards in
several orders of the stock, lets a small network play on, and takes Muon's steps.

It printed, in 281 s of one core without AVX-512 (seeds 0 to 2 are on docs/reference/speedrun.md):

    159,744 decisions, 63 s: 48.2 % against heuristic
    319,488 decisions, 107 s: 56.1 % against heuristic
    479,232 decisions, 147 s: 58.7 % against heuristic
    638,976 decisions, 189 s: 58.9 % against heuristic
    798,720 decisions, 232 s: 59.0 % against heuristic
    958,464 decisions, 274 s: 58.9 % against heuristic
    61.6 % against heuristic, 95 % interval 59.8 to 63.4 %
"""

import argparse
import copy
import time
from dataclasses import dataclass

import numpy as np
import torch
from torch import nn
from torch.distributions import Categorical

import german_whist as gw

GAME = {"rules": "classic", "endgame": "exact"}
HAND, RANKS = 13, 13
ROWS = 1024  # batch of a network that plays: more do not fit into the processor's cache


@dataclass
class Settings:
    """What a run may change."""

    size: int = 1024  # deals an update
    suit: int = 64  # units of a layer that reads a suit
    trunk: int = 128  # units of a layer that sees all four
    scale: float = 5  # a margin of m tricks has the value tanh(m / scale)
    temperature: float = 1 / 80  # the policy's temperature in training
    trace: float = 0.9  # λ of the returns
    learning_rate: float = 3e-3  # initial rate, which falls to 0
    passes: int = 2  # over the decisions of an update
    minibatch: int = 1024
    average: float = 0.99  # share of the averaged weights that a step keeps


def see(decisions):
    """Return decisions in canonical form: trumps become spades, and ranks are counted among the cards in play."""
    return decisions.canonical("live")


class Network(nn.Module):
    """Outputs a value for each card or for the position, of observations int8[n, 443].

    What the suits have in common is learnt once: every suit is read by the same layers, and the values of its cards are
    written by the same layers, which see the suit and what the trunk makes of all four.
    """

    def __init__(self, settings, of_cards):
        super().__init__()
        blocks = gw.observation_layout(GAME["rules"]).values()
        scale = 1 / torch.tensor([block.high for block in blocks for _ in range(block.start, block.stop)])
        # Eight blocks have a feature for each card, then five one for each suit, and seven features are of no suit.
        cards, numbers, others = torch.arange(len(scale)).split([8 * 52, 5 * 4, 7])
        of_suits = cards.view(8, 4, 13).transpose(0, 1).flatten(1), numbers.view(5, 4).T, others.expand(4, -1)
        features = torch.cat(of_suits, 1)  # each suit reads them
        self.register_buffer("features", features.flatten())
        self.register_buffer("scale", scale[features])
        suit, trunk = settings.suit, settings.trunk
        self.suits = nn.Sequential(nn.Linear(features.shape[1], suit), nn.ReLU())
        self.trunk = nn.Sequential(nn.Linear(4 * suit, trunk), nn.ReLU(), nn.Linear(trunk, trunk), nn.ReLU())
        self.of_cards = of_cards
        if of_cards:
            self.from_suit, self.from_trunk = nn.Linear(suit, suit), nn.Linear(trunk, suit)
        self.last = nn.Linear(suit, RANKS) if of_cards else nn.Linear(trunk, 1)
        nn.init.orthogonal_(self.last.weight, 0.01)  # outputs begin near 0, so play begins nearly uniform

    def forward(self, observations):
        inputs = observations.float().index_select(1, self.features).view(-1, *self.scale.shape) * self.scale
        suits = self.suits(inputs)  # [n, 4, units]
        trunk = self.trunk(suits.flatten(1))
        if not self.of_cards:
            return self.last(trunk)[:, 0]
        return self.last((self.from_suit(suits) + self.from_trunk(trunk)[:, None]).relu()).flatten(1)

    @torch.no_grad()
    def predict(self, observations):
        return torch.cat([self(part) for part in torch.from_numpy(observations).split(ROWS)])


class Learner:
    """A network in training, and ``average``, the moving average of its weights, which plays."""

    def __init__(self, network, settings):
        self.network, self.average, self.settings, self.steps = network, copy.deepcopy(network), settings, 0
        self.adam = torch.optim.Adam(network.parameters(), eps=1e-5)

    def step(self, loss, rate):
        self.adam.param_groups[0]["lr"] = rate
        self.adam.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self.network.parameters(), 0.5)
        self.adam.step()
        self.steps += 1
        kept = min(self.settings.average, self.steps / (self.steps + 10))  # the first weights fade quickly
        with torch.no_grad():
            for average, weight in zip(self.average.parameters(), self.network.parameters(), strict=True):
                average.lerp_(weight, 1 - kept)


class Player:
    """Plays the card that an actor thinks best."""

    name = "policy-iteration"

    def __init__(self, actor):
        self.actor = actor

    def act(self, decisions):
        seen = see(decisions)
        values = self.actor.predict(seen.observations).masked_fill(~torch.from_numpy(seen.action_masks), -torch.inf)
        return seen.decode(values.argmax(1).numpy())


class Training:
    """An actor, a value network and the deals that they play."""

    def __init__(self, seed=0, **changes):
        torch.manual_seed(seed)
        self.settings = settings = Settings(**changes)
        self.actor = Learner(Network(settings, of_cards=True), settings)
        self.value = Learner(Network(settings, of_cards=False), settings)
        self.player = Player(self.actor.average)
        self.batch = gw.DealBatch(GAME["rules"], settings.size, seed, endgame="exact")
        self.trials = gw.DealBatch(GAME["rules"], settings.size * HAND, endgame="exact")
        self.updates = self.decisions = 0  # so far

    def update(self, progress):
        """Play a batch of deals and learn from it; ``progress`` is the share of the run that is done."""
        self.batch.reset(self.updates * self.batch.size)
        self.learn(*self.play(), rate=self.settings.learning_rate * (1 - progress))
        self.updates += 1

    def play(self):
        """Play every deal; return observations, legal cards, their values Q and the returns of all decisions."""
        batch, plies = self.batch, []
        while not batch.done.all():  # all deals are as long, as the endgame is not played
            seen = see(batch.decisions())
            legal = torch.from_numpy(seen.action_masks)
            guess = self.actor.average.predict(seen.observations).masked_fill(~legal, -torch.inf)
            cards = Categorical(logits=guess / self.settings.temperature).sample()
            q, best = self.try_cards(seen), guess.argmax(1)
            turn = torch.from_numpy(batch.turn.astype(np.int64))
            plies.append((torch.from_numpy(seen.observations), legal, q, best, cards, turn))
            batch.step(seen.decode(cards.numpy()), seen.rows)
        observations, legal, q, best, cards, turns = map(torch.stack, zip(*plies, strict=True))
        returns = self.returns(q, best, cards, turns)
        return [column.flatten(0, 1) for column in (observations, legal, q, returns)]

    def try_cards(self, seen):
        """Return Q of every legal card, float32[n, 52], 0 for others: each is tried in a copy of its deal."""
        trials, legal = self.trials, seen.action_masks
        tried = legal.copy()  # the lowest of neighbours, between which no card in play ranks
        tried[:, 1:] &= ~legal[:, :-1]
        tried[:, ::RANKS] = legal[:, ::RANKS]  # the lowest of a suit has no neighbour below
        deals, cards = tried.nonzero()
        rows = np.arange(len(deals))
        trials.states[rows] = self.batch.states[seen.rows[deals]]
        seats = trials.turn[rows].copy()
        trials.step(seen[deals].decode(cards), rows)
        while len(others := rows[~trials.done[rows] & (trials.turn[rows] != seats)]):
            trials.step(self.player.act(trials.decisions(others)), others)
        values = np.tanh(trials.returns("margin")[rows, seats] / self.settings.scale)  # all deals are over
        own = see(trials.decisions(rows))
        if len(own):
            values[own.rows] = self.value.average.predict(own.observations)
        q = np.zeros(legal.shape, np.float32)
        q[legal] = values[np.cumsum(tried)[legal.ravel()] - 1]  # untried cards: the last one tried before them
        return torch.from_numpy(q)

    def returns(self, q, best, cards, turns):
        """Return what the value of each decision should have been, float32[plies, deals].

        Watkins's Q(lambda): Q of the best card and, where that was played, the return of the seat's next decision.
        """
        found, deals = q.gather(2, best[:, :, None])[:, :, 0], torch.arange(q.shape[1])
        later = torch.full((len(deals), 2), torch.nan)  # the next return of each seat
        for ply in reversed(range(len(q))):
            after = later[deals, turns[ply]]
            goes_on = (cards[ply] == best[ply]) & ~after.isnan()
            found[ply] = torch.where(goes_on, found[ply].lerp(after, self.settings.trace), found[ply])
            later[deals, turns[ply]] = found[ply]
        return found

    def learn(self, observations, legal, q, returns, rate):
        """Take gradient steps: some passes over the decisions."""
        shares = legal / legal.sum(1, keepdim=True)
        for _ in range(self.settings.passes):
            for rows in torch.randperm(len(q)).split(self.settings.minibatch):
                seen, share = observations[rows].float(), shares[rows]
                error = self.actor.network(seen) - q[rows]
                error = error - (error * share).sum(1, keepdim=True)
                self.actor.step((error.square() * share).sum(1).mean(), rate)
                self.value.step((self.value.network(seen) - returns[rows]).square().mean(), rate)
        self.decisions += len(q)


def train(decisions=1_000_000, seed=0, out=None, **changes):
    training = Training(seed, **changes)
    agent = gw.with_exact_endgame(training.player)
    updates = max(1, decisions // (2 * HAND * training.batch.size))
    for update in range(updates):
        training.update(update / updates)
        if update % 6 == 5:
            result = gw.play_match(agent, "heuristic", deals=1000, seed=2000, **GAME)
            made = f"{training.decisions:,} decisions, {time.process_time():.0f} s"
            print(f"{made}: {100 * result.win_rate:.1f} % against heuristic", flush=True)
    if out is not None:
        torch.save(training.actor.average.state_dict(), out)
    return agent


def load(path):
    """Return the agent of a file that ``--out`` names: ``python:examples/policy_iteration.py:load,path=FILE``."""
    actor = Network(Settings(), of_cards=True)
    actor.load_state_dict(torch.load(path))
    return gw.with_exact_endgame(Player(actor))


def main(deals=1000, **settings):
    return gw.play_match(train(**settings), "heuristic", deals=deals, seed=1000, **GAME)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", help="save the actor's weights in this file")
    result = main(**vars(parser.parse_args()))
    low, high = result.interval
    print(f"{100 * result.win_rate:.1f} % against heuristic, 95 % interval {100 * low:.1f} to {100 * high:.1f} %")
