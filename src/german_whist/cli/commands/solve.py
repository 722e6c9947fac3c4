"""``german-whist solve``: the value of an endgame with both hands known, card by card."""

from __future__ import annotations

import argparse
import json
import sys
from typing import TYPE_CHECKING, Any

from german_whist.cli.options import add_json_option

if TYPE_CHECKING:
    from german_whist.simulator.text.card_style import Style
    from german_whist.solver.endgames import Trick

_SEATS = ("leader", "follower")


def add_parser(subparsers: Any) -> None:
    """Register the command."""
    parser = subparsers.add_parser(
        "solve",
        help="solve an endgame exactly",
        description="Solve an endgame in which both hands are known: print the tricks of each side with perfect play, "
        "the tricks after each card, and the principal variation. Write hands as spades.hearts.diamonds.clubs, 1 to 13 "
        "cards each.",
        epilog='example: german-whist solve "AKQ2.T98..J4" "J7.AK2.Q5.T8" --trump S',
    )
    parser.add_argument("leader", metavar="LEADER", help="the hand that leads, such as AKQ2.T98..J4")
    parser.add_argument("follower", metavar="FOLLOWER", help="the other hand, of the same size")
    parser.add_argument("--trump", metavar="SUIT", help="the trump suit: S, H, D or C (default: no trumps)")
    parser.add_argument("--led", metavar="CARD", help="the card that the leader has led, such as SA (default: none)")
    parser.add_argument("--low", action="store_true", help="the fewest tricks win")
    add_json_option(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Solve and print."""
    from german_whist.game.cards import SUITS, card_text, hand_text, parse_card, parse_hand
    from german_whist.solver.endgames import check_trump, principal_variation, solve_endgame, solve_endgames

    leader, follower = parse_hand(options.leader), parse_hand(options.follower)
    trump, led = check_trump(options.trump), -1 if options.led is None else parse_card(options.led)
    tricks = solve_endgame(leader, follower, options.trump, low=options.low, led=options.led)
    values = solve_endgames([leader], [follower], trumps=trump, lows=options.low, leds=led, by_card=True)[0]
    card_tricks = {card: int(values[card]) for card in range(len(values)) if values[card] >= 0}
    line = principal_variation(leader, follower, trump, options.low, led)
    if options.json:
        report = {
            "leader": hand_text(leader),
            "follower": hand_text(follower),
            "trump": None if trump < 0 else SUITS[trump],
            "low": options.low,
            "led": None if led < 0 else card_text(led),
            "tricks": tricks,
            "to_play": _SEATS[led >= 0],
            "cards": {card_text(card): value for card, value in card_tricks.items()},
            "line": [
                {
                    "leads": _SEATS[trick.seat],
                    "led": card_text(trick.led),
                    "reply": card_text(trick.reply),
                    "taken_by": _SEATS[trick.winner],
                }
                for trick in line
            ],
        }
        print(json.dumps(report))
        return 0
    from german_whist.simulator.text.card_style import style_of

    style = style_of(sys.stdout, trump)
    cards = len(line)
    trumps = f"trumps {style.suit(trump, style.signs.suits[trump])}" if trump >= 0 else "no trumps"
    aim = "the fewest tricks win" if options.low else "the most tricks win"
    print(f"Endgame of {cards} card{'s' * (cards > 1)} a hand, {trumps}, {aim}")
    print()
    print(f"  leader    {style.hand(leader)}{f'{style.card(led)} led' if led >= 0 else ''}".rstrip())
    print(f"  follower  {style.hand(follower)}".rstrip())
    print()
    print(
        f"With perfect play the leader takes {style.paint(str(tricks), '1')} of {cards}, the follower {cards - tricks}."
    )
    print()
    print(f"Tricks of the {_SEATS[led >= 0]} after each card:")
    _print_cards(card_tricks, options.low, style)
    print()
    print("Principal variation:")
    _print_line(line, style)
    return 0


def _print_cards(card_tricks: dict[int, int], low: bool, style: Style) -> None:
    """Print the cards grouped by tricks, the best first."""
    for value in sorted(set(card_tricks.values()), reverse=not low):
        cards = [card for card in sorted(card_tricks, reverse=True) if card_tricks[card] == value]
        print(f"  {value:>2}  {' '.join(style.card(card) for card in cards)}")


def _print_line(line: list[Trick], style: Style) -> None:
    taken = [0, 0]
    for number, trick in enumerate(line, 1):
        taken[trick.winner] += 1
        plays = (
            f"{_SEATS[trick.seat]:<8} {style.card(trick.led)}  {_SEATS[1 - trick.seat]:<8} {style.card(trick.reply)}"
        )
        print(f"  {number:>2}  {plays}   {_SEATS[trick.winner]:<8} takes it   {taken[0]}-{taken[1]}")
