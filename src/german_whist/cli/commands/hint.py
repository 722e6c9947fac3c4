"""``german-whist hint``: what to play in a position of your own."""

from __future__ import annotations

import argparse
import json
import re
import sys
from typing import Any

from german_whist.envs.utils.specs import must_be


def add_parser(subparsers: Any) -> None:
    """Register the command."""
    parser = subparsers.add_parser(
        "hint",
        help="recommend a card in a position of your own",
        description="Recommend a card in a position that you describe: in the foreplay by the face-up card, the card "
        "led and what you remember, in the endgame by both hands. Write several cards as a hand, "
        "spades.hearts.diamonds.clubs (AQ2.K.. is SA SQ S2 HK), and one card as suit and rank (SA).",
        epilog="example: german-whist hint 753.KJ876.T2.AK9 --up H5 --led S6 --trump H --mine A2...2 --theirs K8...3 "
        "--taken .3.. --tricks 1-2",
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
    parser.add_argument(
        "--void",
        metavar="SUITS",
        default="",
        help="suits that the opponent could not follow, with the number of cards it has drawn unseen since: D, or "
        "D+2,C",
    )
    parser.add_argument("--opponent", metavar="HAND", help="in the endgame, the opponent's cards")
    parser.add_argument("--tricks", metavar="N-N", help="tricks that you and the opponent have won in this stage")
    parser.add_argument("--rules", default="classic", help="the game (see german-whist rules; default classic)")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Read the position, ask the coach and print."""
    from german_whist.agents.inference.sampling import check_consistent
    from german_whist.cli.coaching import hint_of, print_hint
    from german_whist.envs.engine.cards import parse_card, parse_hand
    from german_whist.envs.engine.rules import rules
    from german_whist.envs.observation.position import endgame_view, foreplay_view
    from german_whist.solver.endgames import check_trump

    game = rules(options.rules)
    if (options.up is None) == (options.opponent is None):
        raise ValueError("hint needs --up CARD in the foreplay, or --opponent HAND in the endgame")
    hand, trump = parse_hand(options.hand), check_trump(options.trump)
    led = -1 if options.led is None else parse_card(options.led)
    tricks = None if options.tricks is None else _parse_tricks(options.tricks)
    if options.opponent is None:
        remembered = {name: parse_hand(getattr(options, name)) for name in ("mine", "theirs", "taken", "shown")}
        view = foreplay_view(
            game,
            hand,
            parse_card(options.up),
            trump=None if options.trump is None else trump,
            led=led,
            tricks=tricks,
            voids=_parse_voids(options.void),
            **remembered,
        )
        try:
            check_consistent(view, game)
        except ValueError:
            raise ValueError(f"--void {options.void}: no hand of the opponent agrees with it") from None
    else:
        opponent = parse_hand(options.opponent)
        view = endgame_view(game, hand, opponent, trump=trump, led=led, tricks=tricks or (0, 0))
    found = hint_of(view, game)
    if options.json:
        print(json.dumps(found))
        return 0
    _print_position(view[0], game)
    print()
    print_hint(found, game, int(view["trump"][0]))
    return 0


def _parse_tricks(text: str) -> tuple[int, int]:
    found = re.fullmatch(r"(\d{1,2})-(\d{1,2})", text.strip())
    if found is None:
        raise ValueError(must_be("--tricks", "two numbers, such as 3-1", text))
    return int(found[1]), int(found[2])


def _parse_voids(text: str) -> dict[int, int]:
    from german_whist.envs.engine.cards import parse_suit

    voids = {}
    for word in filter(None, text.split(",")):
        suit, plus, drawn = word.partition("+")
        try:
            voids[parse_suit(suit)] = int(drawn) if plus else 0
        except ValueError:
            raise ValueError(must_be("--void", "suits with the cards drawn since, such as D+2,C", text)) from None
    return voids


def _print_position(view: Any, rules: Any) -> None:
    """Print the position as it was understood."""
    from german_whist.envs.engine.cards import cards_of
    from german_whist.envs.text.card_style import style_of

    trump = int(view["trump"])
    style = style_of(sys.stdout, trump)
    words = [f"trumps {style.suit(trump, style.signs.suits[trump])}" if trump >= 0 else "no trumps"]
    words += [f"{style.card(card)} turned up" for card in cards_of(int(view["face_up"]))]
    words.append(f"{style.card(int(view['led']))} led" if view["led"] >= 0 else "you lead")
    stage = f"Foreplay, stock {view['stock']}" if view["stock"] else "Endgame"
    print(f"{stage}, {', '.join(words)}")
    print(f"  you       {style.hand(int(view['hand']), rules.suits)}".rstrip())
    if not view["stock"]:
        print(f"  opponent  {style.hand(int(view['unseen']), rules.suits)}".rstrip())
