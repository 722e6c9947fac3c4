"""``german-whist play``: play against an agent in the terminal."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from german_whist.cli.terminal.argument_types import parse_whole_number

if TYPE_CHECKING:
    from german_whist.session.game_session import Session

YOU = "you"


def add_parser(subparsers: Any) -> None:
    """Register the command."""
    parser = subparsers.add_parser(
        "play",
        help="play against an agent",
        description="Play against an agent in the terminal. Type a card as SA or s a, h for a hint, b to take your "
        "last card back, ? for help, q to quit.",
        epilog="example: german-whist play heuristic --rules small --seat 1 --deals 3",
    )
    parser.add_argument(
        "agent", nargs="?", default="heuristic", metavar="AGENT", help="the opponent (default heuristic)"
    )
    parser.add_argument("--rules", default="classic", help="the game, see german-whist rules (default classic)")
    parser.add_argument(
        "--seat", type=parse_whole_number, choices=(0, 1), default=0, help="your seat (default 0, which deals first)"
    )
    length = parser.add_mutually_exclusive_group()
    length.add_argument(
        "--deals", type=parse_whole_number, metavar="N", help="number of deals (default: until you quit)"
    )
    length.add_argument("--match", metavar="MATCH", help="play a match, such as first_to:25 or best_of:3")
    parser.add_argument(
        "--seed",
        type=parse_whole_number,
        metavar="N",
        help="seed of the deals and of the agent's random choices (default: a new one)",
    )
    parser.add_argument("--record", metavar="FILE", help="write the finished deals to this file, one line of JSON each")
    parser.add_argument("--review", action="store_true", help="review every deal when it is over")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Play."""
    from contextlib import nullcontext

    from german_whist.arena.recording import writing_recordings
    from german_whist.envs.simulator.reset_options import draw_seed
    from german_whist.session.game_session import Session
    from german_whist.session.settings import Settings

    if options.deals is not None and options.deals < 1:
        raise ValueError(f"deals {options.deals} is not allowed: a whole number from 1")
    seed = draw_seed() if options.seed is None else options.seed
    session = Session(Settings(options.rules, options.agent, options.match, seed, options.seat))
    with nullcontext(None) if options.record is None else writing_recordings(options.record) as record:
        _Game(session, record, options.review).play(options.deals)
    return 0


class _Game:
    """A session at the prompt."""

    def __init__(self, session: Session, record: Any, reviews: bool) -> None:
        self.session, self.record, self.reviews = session, record, reviews
        names = [session.settings.agent] * 2
        names[session.seat] = YOU
        self.names = names

    def play(self, deals: int | None) -> None:
        """Play a number of deals, or a match, or until the player quits, and print the score."""
        from german_whist.cli.terminal.human_player import PlayerQuit

        session = self.session
        opponent = self.names[1 - session.seat]
        print(f"German Whist, {session.settings.rules}: you (player_{session.seat}) against {opponent}.")
        print(f"The deals have seed {session.settings.seed}. Type ? for help, q to quit.")
        try:
            while True:
                self._play_deal()
                if self._is_won() or len(session.finished) == deals:
                    return
                if deals is None:
                    self._wait()
                session.next_deal()
        except (PlayerQuit, KeyboardInterrupt):
            print("\nYou leave the table.")
            if session.finished:
                self._print_score()

    def _play_deal(self) -> None:
        """Play the deal on the table."""
        from german_whist.envs.text.deal_text import print_deal
        from german_whist.session.deal.results import result_sentence, result_text

        session, deal = self.session, self.session.deal
        print(f"\nDeal {session.number}, dealt by {self.names[deal.dealer]}.")
        while not deal.done:
            if session.waits_for_agent:
                if session.agent_acts() is not None:
                    self._describe()
            else:
                print_deal(deal.batch, 0, session.seat)
                self._ask()
        if deal.forfeit is not None:
            print(f"{result_text(deal, session.names)[1]}.")
        else:
            print_deal(deal.batch, 0, session.seat)
            print(result_sentence(deal.result(), deal.rules, bool(deal.state["low"]), session.names))
        if self.record is not None and deal.forfeit is None:
            self.record(session.recording(len(session.finished) - 1, address=True))
        self._print_score()
        if self.reviews:
            self._review()

    def _ask(self) -> None:
        """Ask for an action and play it, or give a hint or take back."""
        from german_whist.cli.terminal.coaching import print_hint
        from german_whist.cli.terminal.human_player import HINT, ask_action
        from german_whist.session.coach.hints import hint
        from german_whist.session.game_session import Conflict

        session, deal = self.session, self.session.deal
        answer = ask_action(deal)
        if isinstance(answer, int):
            session.act(answer)
            self._describe()
        elif answer == HINT:
            print_hint(session.ask(hint), deal.rules, int(deal.state["trump"]))
        else:
            try:
                session.take_back()
            except Conflict as error:
                print(error)
            else:
                print("Your last card is taken back.")

    def _describe(self) -> None:
        """Print what the last action did."""
        from german_whist.session.deal.events import action_events

        session, last = self.session, len(self.session.deal.actions) - 1
        for event in action_events(session.deal, last, session.seat, session.names):
            print(event.text)

    def _review(self) -> None:
        from german_whist.cli.terminal.coaching import print_review
        from german_whist.session.coach.reviews import review

        session = self.session
        print()
        print_review(review(session.deal, session.seat, session.names), session.deal.rules)

    def _is_won(self) -> bool:
        """Return whether the match is over, and print who has won it."""
        winner = self.session.winner
        if winner is None:
            return False
        name, scores = self.names[winner], self.session.score.in_match(self.session.settings.match_format)
        score = f"{scores[winner]:g} to {scores[1 - winner]:g}"
        print(f"You win the match, {score}." if name == YOU else f"{name} wins the match, {score}.")
        return True

    def _print_score(self) -> None:
        session, score = self.session, self.session.score
        scores = [
            f"{self.names[seat]} {score.points[seat]:g} points, {score.won[seat]} won"
            for seat in (session.seat, 1 - session.seat)
        ]
        count = len(session.finished)
        print(f"Score after {count} deal{'' if count == 1 else 's'}: {'; '.join(scores)}.")

    def _wait(self) -> None:
        """Wait for Enter; r reviews the deal, q quits."""
        from german_whist.cli.terminal.human_player import PlayerQuit

        while True:
            try:
                word = input("Enter for the next deal, r for a review of this one, q to quit: ").strip().lower()
            except EOFError:
                print()
                raise PlayerQuit from None
            if word in ("q", "quit"):
                raise PlayerQuit
            if word not in ("r", "review"):
                return
            self._review()
