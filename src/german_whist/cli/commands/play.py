"""``german-whist play``: play against an agent in the terminal."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from german_whist.cli.options import add_rules_option

if TYPE_CHECKING:
    from german_whist.agents.base import Agent
    from german_whist.simulator.episode import Episode

HELP = """\
A card is its suit and its rank: SA is the ace of spades, HT or 10h the ten of hearts. A choice is its word.
Suits: C clubs, D diamonds, H hearts, S spades. Ranks: 2 3 4 5 6 7 8 9 T J Q K A. ? shows this help, q quits."""


def add_parser(subparsers: Any) -> None:
    """Register the command."""
    parser = subparsers.add_parser(
        "play",
        help="play against an agent in the terminal",
        description="Play against an agent in the terminal. Type a card as SA, a choice as its word, ? for help, q to "
        "quit.",
        epilog="example: german-whist play heuristic --rules small --seat 1 --deals 3",
    )
    parser.add_argument(
        "agent", nargs="?", default="heuristic", metavar="AGENT", help="the opponent (default heuristic)"
    )
    add_rules_option(parser)
    parser.add_argument("--seat", type=int, choices=(0, 1), default=0, help="your seat (default 0, which deals first)")
    parser.add_argument("--deals", type=int, metavar="N", help="number of deals (default: until you quit)")
    parser.add_argument(
        "--seed",
        type=int,
        metavar="N",
        help="seed of the deals and of the agent's random choices (default: a new one)",
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Play deals, and print the score after each."""
    from german_whist.agents.base import agent_name
    from german_whist.agents.registry import make_agent
    from german_whist.game.rules import rules
    from german_whist.game.utils.checks import check_int
    from german_whist.simulator.episode import Episode
    from german_whist.simulator.text.scene import YOU

    if options.deals is not None:
        check_int("--deals", options.deals, 1)
    deal = Episode(rules(options.rules), history=True)
    agent = make_agent(options.agent, deal.rules)
    names = (YOU, agent_name(agent)) if options.seat == 0 else (agent_name(agent), YOU)
    deal.reset(options.seed)
    print(f"You against {agent_name(agent)}, deals of seed {deal.address[0]}. Type ? for help, q to quit.")
    won, played = [0, 0], 0
    try:
        while played != options.deals:
            if played:
                deal.reset()
            margin = _play_deal(deal, agent, options.seat, names)
            played += 1
            if margin:
                won[margin < 0] += 1
            print(f"Deals won: {', '.join(f'{name} {count}' for name, count in zip(names, won, strict=True))}.")
    except (EOFError, KeyboardInterrupt):
        print("\nYou leave the table.")
    return 0


def _play_deal(deal: Episode, agent: Agent, seat: int, names: tuple[str, str]) -> float:
    """Play a deal to its end and return the margin of seat 0."""
    from german_whist.agents.asking import play
    from german_whist.simulator.text.deal_text import print_deal
    from german_whist.simulator.text.events import action_events, first_events, result_sentence

    batch = deal.batch
    print(f"\n{' '.join(first_events(deal.rules, batch.states[0], names))}")
    before = batch.states[0].copy()

    def tell() -> None:
        """Print what the last action did."""
        nonlocal before
        for event in action_events(deal.rules, before, batch.states[0], deal.actions[-1], seat, names):
            print(event)
        before = batch.states[0].copy()

    while not deal.is_over:
        if deal.turn == seat:
            print_deal(batch, seat, names=names)
            deal.play(_ask(deal))
            tell()
        for _ in play(deal, (None, agent), seat):
            tell()
    margin, points = (deal.returns(reward)[0] for reward in ("margin", "points"))
    state = batch.states[0]
    print(result_sentence(state["tricks"], margin, points, deal.rules, names, low=bool(state["low"])))
    return margin


def _ask(deal: Episode) -> int:
    """Ask until a legal action is typed, and return it; ``q`` raises ``EOFError``, as the end of the input does."""
    from german_whist.game.actions import parse_action
    from german_whist.simulator.text.questions import decision_text, refusal, with_legal_actions

    view, kind = deal.batch.views()[0], int(deal.batch.states["decision"][0])
    print(decision_text(view, deal.rules, kind))
    while True:
        word = input("> ").strip()
        if word in ("q", "quit"):
            raise EOFError
        if word in ("", "?", "help"):
            print(HELP)
            continue
        try:
            action = parse_action(word, deal.rules)
        except ValueError as error:
            print(error)
            continue
        reason = refusal(view, deal.rules, kind, action)
        if reason is None:
            return action
        print(with_legal_actions(reason, view, deal.rules))
