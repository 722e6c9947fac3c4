"""A bot for the line protocol in plain Python, without the package: it reads views as JSON lines and prints actions.

german-whist evaluate "process:python3 examples/bots/line_bot.py" greedy --deals 100
"""

import json
import sys

RANKS = "23456789TJQKA"


def choose(view):
    """Return one of the actions in view["legal"]."""
    legal = view["legal"]
    if view["decision"] != "play":  # pick an open card, take or leave, keep or swap
        return legal[0]
    led, trump = view["led"], view["trump"]
    ranked = sorted(legal, key=lambda card: (card[0] == trump, RANKS.index(card[1])))
    if led is None:
        return ranked[-1] if view["stock"] == 0 else ranked[0]
    winning = [card for card in ranked if beats(card, led, trump)]
    return winning[0] if winning else ranked[0]  # as cheaply as possible


def beats(card, led, trump):
    if card[0] == led[0]:
        return RANKS.index(card[1]) > RANKS.index(led[1])
    return card[0] == trump


for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        reply = {"type": "ready", "protocol": 1}
    else:
        reply = {"id": message["id"], "action": choose(message["view"])}
    print(json.dumps(reply), flush=True)
