"""Our agents in TextArena's German Whist: ``python examples/textarena_agent.py``.

The agent reads exactly what a language model would read there. Every game is replayed in our engine, as the game
``all``, which has the same rules.
It printed, in 30 s: champion wins 48 of 50 games against a model that plays any legal card; all replayed alike
"""

import re

import numpy as np
import textarena as ta

import german_whist as gw

RULES = gw.rules("all")
LAYOUT = gw.observation_layout(RULES)
WIDTH = max(block.stop for block in LAYOUT.values())
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
        view = gw.view_from_observation(self.vector(observation, set(places)), RULES)
        return f"[play {places[int(self.agent.act(gw.Decisions(view, RULES))[0])]}]"

    def vector(self, observation, hand):
        """Return what this seat knows, read from the text that it has been shown so far, as our observation vector."""
        me = int(re.search(r"German Whist - Player (\d)", observation)[1])
        plays, won, taken, voids, up = ([], []), ([0, 0], [0, 0]), (set(), set()), ({}, {}), None
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
                tricks = sum(map(sum, won)) + 1
                won[int(winner)][tricks > RULES.foreplay] += 1
                if first // 13 != second // 13:
                    voids[follower][first // 13] = tricks, 0
                if tricks <= RULES.foreplay:
                    taken[int(winner)].add(up)
                    loser = 1 - int(winner)  # draws unseen
                    for suit, (number_of_trick, drawn) in voids[loser].items():
                        voids[loser][suit] = number_of_trick, drawn + 1
                trick = []
        stock = max(0, RULES.stock - 2 * sum(map(sum, won)))
        cards = {
            "own_hand": hand,
            "face_up": {up} if stock else set(),
            "led": {trick[0][1]} if trick else set(),
            "played_self": set(plays[me]),
            "played_opponent": set(plays[1 - me]),
            "opponent_known": taken[1 - me] - set(plays[1 - me]),
        }
        numbers = {
            "tricks_self": won[me],
            "tricks_opponent": won[1 - me],
            "stock": stock,
            "dealer": me == 1,  # player 0 leads
            "turn": 1,
        }
        vector, start = np.zeros(WIDTH, np.int8), {name: block.start for name, block in LAYOUT.items()}
        cards["unseen"] = set(RULES.cards).difference(*cards.values())
        for name, known in {**cards, "own_known": taken[me] & hand}.items():
            vector[[start[name] + card for card in known]] = 1
        for name, values in numbers.items():
            vector[slice(*LAYOUT[name][:2])] = values
        vector[start["trump"] + "CDHS".index(SUITS[re.search(r"Trump suit: (.)", observation)[1]])] = 1
        for whose, shown in (("self", voids[me]), ("opponent", voids[1 - me])):
            for suit, (last, drawn) in shown.items():
                vector[start[f"void_{whose}"] + suit], vector[start[f"drawn_{whose}"] + suit] = last, drawn
        return vector


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
