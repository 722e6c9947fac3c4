"""``german-whist explain``: an agent's view of every move of a deal."""

from __future__ import annotations

import argparse
import json
import sys
from typing import TYPE_CHECKING, Any

from german_whist.cli.options import parse_deal_address, parse_whole_number

if TYPE_CHECKING:
    from german_whist.arena.explanation import Explanation, Move
    from german_whist.envs.engine.rules import Rules
    from german_whist.envs.text.card_style import Style

_MAX_OPTIONS = 5  # shown per move

_LEGEND = """\
probability  of the card in the network's policy, where the network plays
advantage    over the best card in margin, as estimated by the network
rollouts     margin if the heuristic bot plays on for both seats, mean of
             {worlds} sampled worlds
expects      margin and winning chance before the move, by the network's value;
             exact in open endgames
{search}exact        margin of perfect play from here on (the opponent's hand is known)
opponent     expected number of cards in each suit, and the probability of a
             void, over all hands that the known cards and voids allow, each
             equally likely: how the opponent played is not taken into account"""

_SEARCH_LEGEND = """\
search       gain over the network's card in margin, as the search estimates it;
             a win counts 4 more, a loss 4 less
"""


def add_parser(subparsers: Any) -> None:
    """Register the command."""
    parser = subparsers.add_parser(
        "explain",
        help="explain an agent's moves in a deal",
        description="Play a deal and print for each move of an agent: its hand, the probabilities and estimates of its "
        "network for the best cards, the values of rollouts and of the solver, what it can know of the opponent's "
        "suits, and what the heuristic bot would play.",
        epilog="example: german-whist explain champion --deal 7:0",
    )
    parser.add_argument("agent", metavar="AGENT", help="the agent (see german-whist agents)")
    cards = parser.add_mutually_exclusive_group()
    cards.add_argument("--deal", default="0:0", metavar="SEED:INDEX", help="the deal (default 0:0)")
    cards.add_argument(
        "--deck",
        metavar="CARDS",
        help='the cards in dealing order, as "C2 SA …" and in recordings; player_0 deals',
    )
    parser.add_argument(
        "--rules", default=None, help="the game, see german-whist rules (default: the agent's own, or classic)"
    )
    parser.add_argument(
        "--against", metavar="AGENT", help="an opponent, whose moves are not explained (default: the agent itself)"
    )
    parser.add_argument(
        "--seat", type=parse_whole_number, choices=(0, 1), help="with --against, AGENT's seat (default 0)"
    )
    parser.add_argument(
        "--worlds",
        type=parse_whole_number,
        default=100,
        metavar="N",
        help="sampled worlds for the rollouts, 0 for none (default 100)",
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Play the deal and print the explanation."""
    from german_whist.agents.registry import make_agent
    from german_whist.arena.explanation import explain_deal
    from german_whist.arena.games import agent_label
    from german_whist.envs.engine.rules import rules

    if options.against is None and options.seat is not None:
        raise ValueError("explain: --seat needs --against: without it AGENT has both seats")
    seed, index = parse_deal_address(options.deal)
    specs = (options.agent, options.agent if options.against is None else options.against)
    first = make_agent(specs[0], options.rules)
    game_rules = rules(options.rules or getattr(first, "rules", "classic"))
    agents = (first, make_agent(specs[1], game_rules))
    names = (agent_label(agents[0], agents[0]), agent_label(agents[1], agents[1]))
    seats: tuple[int, ...] = (0, 1)
    if options.against is not None:
        seats = (options.seat or 0,)
        if options.seat:
            agents, names = agents[::-1], names[::-1]
    explanation = explain_deal(agents, names, game_rules, seed, index, seats, options.worlds, options.deck)
    if options.json:
        print(json.dumps(_plain(explanation)))
        return 0
    _print(explanation)
    return 0


def _plain(explanation: Explanation) -> dict[str, Any]:
    from german_whist.envs.engine.cards import SUITS

    return {
        "rules": explanation.rules.to_dict(),
        "deal": None if explanation.deal is None else list(explanation.deal),
        "agents": list(explanation.agents),
        "trump": None if explanation.trump < 0 else SUITS[explanation.trump],
        "low": explanation.low,
        "worlds": explanation.worlds,
        "margin": explanation.result.margin,
        "tricks": [list(stage) for stage in explanation.result.tricks],
        "moves": [move.to_dict(explanation.rules) for move in explanation.moves],
    }


def _print(explanation: Explanation) -> None:
    from german_whist.envs.text.card_style import style_of
    from german_whist.envs.text.rules_text import rules_spec
    from german_whist.envs.text.scene import PLAYERS
    from german_whist.session.deal.words import result_sentence

    style = style_of(sys.stdout, explanation.trump)
    first, second = (f"{name} ({player})" for name, player in zip(explanation.agents, PLAYERS, strict=True))
    names = (first, second)
    suit = explanation.trump
    cards = "a custom deck" if explanation.deal is None else "deal {1} of seed {0}".format(*explanation.deal)
    trump = f"trumps {style.suit(suit, style.signs.suits[suit])}" if suit >= 0 else "no trumps"
    low = ", played low" if explanation.low else ""
    print(f"{names[0]} and {names[1]}, {rules_spec(explanation.rules)}, {cards}, {trump}{low}")
    print()
    print(_LEGEND.format(worlds=explanation.worlds, search=_SEARCH_LEGEND if _searches(explanation) else ""))
    for move in explanation.moves:
        print()
        _print_move(move, names[move.seat], explanation.rules, style)
    print()
    print(result_sentence(explanation.result, explanation.rules, explanation.low, names))


def _searches(explanation: Explanation) -> bool:
    return any(option.search is not None for move in explanation.moves for option in move.options)


def _print_move(move: Move, name: str, rules: Rules, style: Style) -> None:
    from german_whist.envs.engine.cards import cards_of

    words = [f"move {move.number}", f"trick {move.trick}", name]
    if move.led >= 0:
        words.append(f"{style.card(move.led)} led")
    if move.face_up:
        words.append(f"{' '.join(style.card(card) for card in cards_of(move.face_up))} face up")
    words.append(f"stock {move.stock}" if move.stock else "stock gone")
    print(f"{words[0]}: {', '.join(words[1:])}")
    print(f"  hand      {style.hand(move.hand, rules.suits)}".rstrip())
    suits = []
    for suit in reversed(range(rules.suits)):
        text = f"{style.signs.suits[suit]} {move.expected[suit]:.1f} ({100 * move.void[suit]:.0f} %)"
        suits.append(style.suit(suit, text) + " " * max(14 - len(text), 1))
    print(f"  opponent  {''.join(suits)}".rstrip())
    if move.expected_margin is not None and move.win_chance is not None:
        print(f"  expects   margin {move.expected_margin:+z.2f}, wins {move.win_chance:.0%}")
    _print_options(move, rules, style)
    beside = "the same" if move.heuristic_action == move.action else _word(move.heuristic_action, rules, style)
    print(f"  heuristic {beside}")


def _print_options(move: Move, rules: Rules, style: Style) -> None:
    shown = move.options[:_MAX_OPTIONS]
    columns = [
        (heading, form)
        for heading, form in (
            ("probability", lambda option: _number(option.probability, "{:.1%}")),
            ("advantage", lambda option: _number(option.advantage, "{:+z.2f}")),
            ("rollouts", lambda option: _number(option.rollouts, "{:+z.2f}")),
            ("search", lambda option: _number(option.search, "{:+z.2f}")),
            ("exact", lambda option: _number(option.exact, "{:+d}")),
        )
        if any(getattr(option, heading) is not None for option in shown)
    ]
    headings = "".join(f"{heading:>12}" for heading, _ in columns)
    print(f"  plays            {headings}".rstrip())
    for option in shown:
        word = _word(option.action, rules, style)
        mark = style.signs.arrow if option.action == move.action else " "
        cells = "".join(f"{form(option):>12}" for _, form in columns)
        print(f"          {mark} {word}{' ' * (7 - _width(option.action, rules))}{cells}".rstrip())
    if len(move.options) > len(shown):
        print(f"            … {len(move.options) - len(shown)} more")


def _word(action: int, rules: Rules, style: Style) -> str:
    from german_whist.envs.engine.actions import action_text
    from german_whist.envs.engine.cards import NUM_CARDS

    return style.card(action) if action < NUM_CARDS else action_text(action, rules)


def _width(action: int, rules: Rules) -> int:
    """Return the number of visible letters in an action's text, without colour codes."""
    from german_whist.envs.engine.actions import action_text

    return len(action_text(action, rules))


def _number(number: float | None, form: str) -> str:
    """Return a formatted number, or nothing for ``None``."""
    return "" if number is None else form.format(number)
