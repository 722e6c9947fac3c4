"""Our agents in TextArena's German Whist: ``python examples/textarena_agent.py``.

The agent reads exactly what a language model would read there. Every game is replayed in our engine, as the game
``all``, which has the same rules.
It printed, in 30 s: champion wins 48 of 50 games against a model that plays any legal card; all replayed alike
"""

import re

import numpy as np
import textarena as ta

import german_whist as gw
from german_whist.game.cards import mask_of
from german_whist.simulator.observation.position import endgame_view, foreplay_view

RULES = gw.rules("all")
SUITS = {"♣": "C", "♦": "D", "♥": "H", "♠": "S"}
CARD = r"((?:10|[2-9JQKA])[♣♦♥♠])"


def number(text):
    return gw.card(SUITS[text[-1]] + text[:-1].replace("10", "T"))


class WhistAgent(ta.Agent):
    def __init__(self, name="champion"):
        super().__init__()
        self.agent = gw.make_agent(name, RULES)

    def __call__(self, observation):
        board = observation[observation.rindex("Your hand:") :]
        places = {number(card): place for place, card in re.findall(rf"(\d+)\. {CARD}", board)}
        view = self.view(observation, set(places))
        return f"[play {places[int(self.agent.act(view, None)[0])]}]"

    def view(self, observation, hand):
        """Return this seat's view, read from the text that it has been shown so far."""
        me = int(re.search(r"German Whist - Player (\d)", observation)[1])
        plays, won, taken, voids, up = ([], []), [0, 0], (set(), set()), ({}, {}), None
        story = rf"Next card for trick winner: {CARD}|Player (\d) played {CARD}|Player (\d) wins the trick"
        trick = []
        for prize, player, card, winner in re.findall(story, observation):
            if prize:
                up = number(prize)
            elif player:
                plays[int(player)].append(number(card))
                trick.append((int(player), number(card)))
            else:
                (_, first), (follower, second) = trick
                won[int(winner)] += 1
                if first // 13 != second // 13:
                    voids[follower][first // 13] = sum(won), 0
                if sum(won) <= RULES.foreplay:
                    taken[int(winner)].add(up)
                    loser = 1 - int(winner)  # draws unseen
                    for suit, (number_of_trick, drawn) in voids[loser].items():
                        voids[loser][suit] = number_of_trick, drawn + 1
                trick = []
        led = trick[0][1] if trick else -1
        trump = "CDHS".index(SUITS[re.search(r"Trump suit: (.)", observation)[1]])
        mine, theirs = set(plays[me]), set(plays[1 - me])
        tricks = won[me], won[1 - me]
        if sum(won) >= RULES.foreplay:
            rest = mask_of(set(RULES.cards) - hand - mine - theirs)
            return endgame_view(RULES, mask_of(hand), rest, trump=trump, led=led, tricks=tricks)
        held = {"taken": mask_of(taken[1 - me] - theirs), "shown": mask_of(taken[me] & hand)}
        held |= {"dealer": me == 1, "voids": voids[1 - me], "own_voids": voids[me]}  # player 0 leads
        played = {"mine": mask_of(mine), "theirs": mask_of(theirs - {led})}
        return foreplay_view(RULES, mask_of(hand), up, trump=trump, led=led, tricks=tricks, **played, **held)


class AnyCard(ta.Agent):
    """Stands in for a model and plays a random legal card."""

    def __init__(self, seed=0):
        super().__init__()
        self.rng = np.random.default_rng(seed)

    def __call__(self, observation):
        board = observation[observation.rindex("Your hand:") :]
        cards = re.findall(r"(\d+)\. (?:10|[2-9JQKA])(.)", board)
        led = re.search(rf"Player \d: {CARD}", board)
        follow = [place for place, suit in cards if led and suit == led[1][-1]]
        return f"I think [play {self.rng.choice(follow or [place for place, _ in cards])}] is best."


def play(agents, seed):
    """Play a game in TextArena; return its deck in our order, the cards in order of play, and player 0's reward."""
    env, done = ta.make("GermanWhist-v0"), False
    env.reset(num_players=2, seed=seed)
    state = env.state.game_state
    hands = [[card["rank"] + card["suit"] for card in state["players"][seat]["hand"]] for seat in (0, 1)]
    stock = [card["rank"] + card["suit"] for card in reversed(state["deck"])]
    while not done:
        seat, observation = env.get_observation()
        done, _ = env.step(agents[seat](observation))
    cards = [card for _, text in env.state.logs for card in re.findall(rf"^Player \d played {CARD}", text)]
    deck = [*(card for pair in zip(*hands, strict=True) for card in pair), *stock]
    return [number(card) for card in deck], [number(card) for card in cards], env.close()[0][0]


def main(games=50, name="champion"):
    won, ours, model = 0, WhistAgent(name), AnyCard()
    for game in range(games):
        seat = game % 2
        deck, cards, reward = play((ours, model) if seat == 0 else (model, ours), seed=game)
        won += reward == (1, -1)[seat]
        deal = gw.DealBatch(RULES, 1)
        deal.deal_decks([deck], [1])  # player 0 leads
        for card in cards:
            deal.step([card])  # raises an error if the card is illegal here
        assert deal.done[0]
        assert deal.returns("win")[0, 0] == reward
    print(f"{name} wins {won} of {games} games against a model that plays any legal card; all replayed alike")
    return won


if __name__ == "__main__":
    main()
