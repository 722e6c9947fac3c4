"""An agent that asks another program, in any language: a line of JSON for each decision, a card in reply.

python examples/external_program.py
german-whist evaluate python:examples/external_program.py:Program greedy --deals 100
german-whist evaluate "python:examples/external_program.py:Program,command=node mine.js" greedy --deals 100
"""

import contextlib
import json
import shlex
import subprocess
import sys

import numpy as np

import german_whist as gw

FIRST_CARD = "import json, sys\nfor line in sys.stdin: print(json.loads(line)['legal'][0], flush=True)"


class Program:
    def __init__(self, command=None):
        self.name = command or "first card"
        self.command = shlex.split(command) if command else [sys.executable, "-c", FIRST_CARD]
        self.process = None  # each worker of a match starts its own

    def act(self, decisions):
        if self.process is None:
            self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        return np.array([self.ask(view) for view in decisions.views])

    def ask(self, view):
        """Return the card that the program names; another answer, or none, raises an error that ends the match."""
        led, trump = int(view["led"]), int(view["trump"])
        question = {
            "legal": cards(view["legal"]),
            "hand": cards(view["hand"]),
            "led": gw.card_text(led) if led >= 0 else None,
            "face_up": cards(view["face_up"]),
            "trump": "CDHS"[trump] if trump >= 0 else None,
        }
        with contextlib.suppress(OSError):  # the program has ended: it does not answer either
            self.process.stdin.write(json.dumps(question) + "\n")
            self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:
            raise RuntimeError(f"{self.name!r} has ended")
        return gw.card(answer.strip())


def cards(mask):
    return [gw.card_text(card) for card in range(52) if int(mask) >> card & 1]


def main(deals=100):
    result = gw.play_match(Program(), "random", deals=deals)
    print(result)
    return result


if __name__ == "__main__":
    main()
