"""``german-whist hint``: a recommendation in a position of your own."""

from __future__ import annotations

import argparse
import json
import math
import sys
from typing import TYPE_CHECKING, Any

from german_whist.cli.options import add_json_option, add_rules_option

if TYPE_CHECKING:
    import numpy as np

    from german_whist.game.rules import Rules


_CARDS = ("mine", "theirs", "taken", "shown")
_REMEMBERED = {**dict.fromkeys(_CARDS, "..."), "void": "", "my_void": "", "dealer": None}  # defaults


def add_parser(subparsers: Any) -> None:
    """Register the command."""
    parser = subparsers.add_parser(
        "hint",
        help="recommend a card in a position of your own",
        description="Recommend a card in a position that you describe: in the foreplay by the face-up card, the card "
        "led and what you remember, in the endgame by both hands. Write several cards as a hand, "
        "spades.hearts.diamonds.clubs (AQ2.K.. is SA SQ S2 HK), and one card as suit and rank (SA).",
        epilog="example: german-whist hint 753.KJ876.T2.AK9 --up H5 --led S6 --trump H --mine A2...2 --theirs K8...3 "
        "--taken .3.. --tricks 1-2 --dealer me",
    )
    cards = {"metavar": "CARDS", "default": "..."}
    parser.add_argument("hand", metavar="HAND", help="your cards, such as 753.KJ876.T2.AK9")
    parser.add_argument(
        "--trump", metavar="SUIT", help="the trump suit: S, H, D or C (default in the first trick: the suit of --up)"
    )
    parser.add_argument("--led", metavar="CARD", help="the card that the opponent has led (default: you lead)")
    parser.add_argument("--up", metavar="CARD", help="in the foreplay, the face-up card")
    parser.add_argument("--mine", **cards, help="the cards that you have played")
    parser.add_argument("--theirs", **cards, help="the cards that the opponent has played, without the one just led")
    parser.add_argument("--taken", **cards, help="the cards that the opponent took face up and still holds")
    parser.add_argument("--shown", **cards, help="the cards of your hand that you took face up")
    parser.add_argument("--dealer", choices=("me", "opponent"), help="who dealt (not needed in the first trick)")
    voids = {"metavar": "SUITS", "default": ""}
    parser.add_argument(
        "--void",
        **voids,
        help="suits that the opponent could not follow, with the last trick in which it could not and the number of "
        "cards it has drawn unseen since: D@3+2 or D@3+2,C@5",
    )
    parser.add_argument("--my-void", **voids, help="the same for suits that you could not follow")
    parser.add_argument("--opponent", metavar="HAND", help="in the endgame, the opponent's cards")
    parser.add_argument("--tricks", metavar="N-N", help="tricks that you and the opponent have won in this stage")
    add_rules_option(parser)
    add_json_option(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print the value of each card, the best first."""
    from german_whist.agents.judge import advise
    from german_whist.game.actions import action_text
    from german_whist.game.rules import rules
    from german_whist.simulator.decisions import Decisions
    from german_whist.simulator.text.words import percent_text

    game = rules(options.rules)
    view = _position(options, game)
    (advice,) = advise(Decisions(view, game))
    columns = zip(advice.actions, advice.tricks, advice.wins, advice.trick, strict=True)
    values: list[dict[str, Any]] = [
        {
            "action": action_text(action, game),
            "tricks": round(tricks, 3),
            "win": round(win, 3),
            "trick": None if math.isnan(trick) else round(trick, 3),
        }
        for action, tricks, win, trick in columns
    ]
    if options.json:
        print(json.dumps({"judge": advice.judge, "exact": advice.exact, "options": values}))
        return 0
    _print_position(view[0], game)
    print(f"Play {values[0]['action']} ({'both hands are known' if advice.exact else f'by {advice.judge}'}).")
    for value in values:
        tricks = f"{value['tricks']:.{0 if advice.exact else 1}f}"
        line = f"  {value['action']:<5} {tricks:>4} tricks  wins {percent_text(value['win']):>5}"
        print(line if value["trick"] is None else f"{line}  this trick {percent_text(value['trick']):>5}")
    return 0


def _position(options: argparse.Namespace, game: Rules) -> np.ndarray[Any, Any]:
    """Return the position that the options describe, a ``VIEW`` array of shape (1,)."""
    from german_whist.game.cards import NO_CARD, parse_card, parse_hand, parse_suit
    from german_whist.simulator.observation.position import endgame_view, foreplay_view

    if (options.up is None) == (options.opponent is None):
        raise ValueError("hint needs --up CARD in the foreplay, or --opponent HAND in the endgame")
    trump = None if options.trump is None else parse_suit(options.trump)
    led = NO_CARD if options.led is None else parse_card(options.led)
    tricks = None if options.tricks is None else _parse_tricks(options.tricks)
    hand = parse_hand(options.hand)
    if options.up is None:
        for name, nothing in _REMEMBERED.items():
            if getattr(options, name) != nothing:
                raise ValueError(f"hint: --{name.replace('_', '-')} is for the foreplay, in which --up is given")
        opponent, suit = parse_hand(options.opponent), -1 if trump is None else trump
        return endgame_view(game, hand, opponent, trump=suit, led=led, tricks=tricks or (0, 0))
    remembered = {name: parse_hand(getattr(options, name)) for name in _CARDS}
    return foreplay_view(
        game,
        hand,
        parse_card(options.up),
        trump=trump,
        led=led,
        tricks=tricks,
        dealer=None if options.dealer is None else options.dealer == "me",
        voids=_parse_voids(options.void),
        own_voids=_parse_voids(options.my_void),
        **remembered,
    )


def _parse_tricks(text: str) -> tuple[int, int]:
    try:
        mine, theirs = map(int, text.split("-"))
    except ValueError:
        raise ValueError(f"--tricks must be two numbers, such as 3-1, got {text!r}") from None
    return mine, theirs


def _parse_voids(text: str) -> dict[int, tuple[int, int]]:
    from german_whist.game.cards import parse_suit

    voids = {}
    for word in filter(None, text.split(",")):
        suit, _, numbers = word.partition("@")
        trick, _, drawn = numbers.partition("+")
        try:
            voids[parse_suit(suit)] = int(trick), int(drawn or 0)
        except ValueError:
            raise ValueError(f"a void must be a suit, trick and cards drawn since, as D@3+2, got {word!r}") from None
    return voids


def _print_position(view: Any, game: Rules) -> None:
    """Print the position as it was understood."""
    from german_whist.game.cards import SUIT_NAMES, card_text, cards_of
    from german_whist.simulator.text.card_style import style_of

    trump, style = int(view["trump"]), style_of(sys.stdout, int(view["trump"]))
    words = [f"stock {view['stock']}" if view["stock"] else "endgame"]
    words.append(f"{SUIT_NAMES[trump]} are trumps" if trump >= 0 else "no trumps")
    words += [f"{card_text(card)} face up" for card in cards_of(int(view["face_up"]))]
    words.append(f"{card_text(int(view['led']))} led" if view["led"] >= 0 else "you lead")
    print(", ".join(words))
    print(f"  you       {style.hand(int(view['hand']), game.suits)}".rstrip())
    if not view["stock"]:
        print(f"  opponent  {style.hand(int(view['unseen']), game.suits)}".rstrip())
