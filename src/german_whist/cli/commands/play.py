"""``german-whist play``: play against an agent in the terminal."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from german_whist.cli.options import parse_whole_number
from german_whist.cli.terminal import wrapped
from german_whist.envs.utils.specs import count_text, integers, must_be

if TYPE_CHECKING:
    from german_whist.envs.engine.rules import Rules
    from german_whist.session.deal.table_deal import TableDeal
    from german_whist.session.game_session import Session

HELP = """\
A card is its suit and its rank, in any order and case: SA or s a is the ace of spades, HT or 10h the ten of hearts.
Suits: C clubs, D diamonds, H hearts, S spades. Ranks: 2 3 4 5 6 7 8 9 T J Q K A.
At a choice, type the word (or its first letter), or the face-up card that you pick.
h shows a hint, b takes your last card back: both mark the deal as assisted. ? shows this help, q quits."""

HINT, TAKE_BACK = "hint", "back"


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

    from german_whist.agents.registry import make_agent
    from german_whist.envs.agent import agent_name
    from german_whist.envs.simulator.reset_options import draw_seed
    from german_whist.evaluation.recording import writing_recordings
    from german_whist.session.game_session import Session
    from german_whist.session.settings import Settings

    if options.deals is not None and options.deals < 1:
        raise ValueError(must_be("deals", integers(1), options.deals))
    seed = draw_seed() if options.seed is None else options.seed
    settings = Settings(options.rules, options.agent, options.match, seed, options.seat)
    agent = make_agent(settings.agent, settings.game)
    session = Session(settings, agent, title=agent_name(agent))
    with nullcontext(None) if options.record is None else writing_recordings(options.record) as record:
        _Game(session, record, options.review).play(options.deals)
    return 0


class PlayerQuit(Exception):  # noqa: N818 - not an error
    """The player has quit."""


class _Game:
    """A session at the prompt."""

    def __init__(self, session: Session, record: Any, reviews: bool) -> None:
        self.session, self.record, self.reviews = session, record, reviews
        self.names = session.names

    def play(self, deals: int | None) -> None:
        """Play a number of deals, or a match, or until the player quits, and print the score."""
        session = self.session
        print(f"German Whist, {session.settings.rules}: you against {session.title}.")
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
        from german_whist.session.deal.words import result_sentence, result_text

        session, deal = self.session, self.session.deal
        dealer = "you" if deal.dealer == session.seat else session.title
        print(f"\nDeal {session.number}, dealt by {dealer}.")
        while not deal.done:
            if session.waits_for_agent:
                if session.agent_acts() is not None:
                    self._describe()
            else:
                print_deal(deal.batch, 0, session.seat, names=self.names)
                self._ask()
        if deal.forfeit is not None:
            print(f"{result_text(deal, session.names)[1]}.")
        else:
            print_deal(deal.batch, 0, session.seat, names=self.names)
            print(result_sentence(deal.result(), deal.rules, bool(deal.state["low"]), session.names))
        if self.record is not None and deal.forfeit is None:
            self.record(session.recording(len(session.finished) - 1, address=True))
        self._print_score()
        if self.reviews:
            self._review()

    def _ask(self) -> None:
        """Ask for an action and play it, or give a hint or take back."""
        from german_whist.cli.coaching import print_hint
        from german_whist.envs.text.decisions import stake_text
        from german_whist.session.coach.hints import hint
        from german_whist.session.game_session import Conflict

        session, deal = self.session, self.session.deal
        stake = stake_text(deal.views(deal.turn)[0], deal.rules)
        if stake is not None:
            print(wrapped(stake))
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
        from german_whist.cli.coaching import print_review
        from german_whist.session.coach.reviews import review

        session = self.session
        print()
        print_review(review(session.deal, session.seat, session.names), session.deal.rules)

    def _is_won(self) -> bool:
        """Return whether the match is over, and print who has won it."""
        from german_whist.envs.text.events import sentence

        winner = self.session.winner
        if winner is None:
            return False
        scores = self.session.score.in_match(self.session.settings.match_format)
        score = f"{scores[winner]:g} to {scores[1 - winner]:g}"
        print(sentence(self.names[winner], f"win{{s}} the match, {score}"))
        return True

    def _print_score(self) -> None:
        session, score = self.session, self.session.score
        scores = [
            f"{self.names[seat]} {count_text(score.points[seat], 'point')}, {score.won[seat]} won"
            for seat in (session.seat, 1 - session.seat)
        ]
        print(f"Score after {count_text(len(session.finished), 'deal')}: {'; '.join(scores)}.")

    def _wait(self) -> None:
        """Wait for Enter; r reviews the deal, q quits."""
        while True:
            word = _read_line("Enter for the next deal, r for a review of this one, q to quit: ").strip().lower()
            if word in ("q", "quit"):
                raise PlayerQuit
            if word not in ("r", "review"):
                return
            self._review()


def ask_action(deal: TableDeal) -> int | str:
    """Ask the player until a legal action is typed, and return its number, or ``HINT`` or ``TAKE_BACK``.

    Args:
        deal: the deal; it is the player's turn.

    Raises:
        PlayerQuit: if the player types ``q``, or the input ends.
    """
    prompt = _prompt(deal.views(deal.turn)[0], deal.rules)
    while True:
        word = "".join(_read_line(prompt).upper().split())
        if word in ("?", "HELP"):
            print(HELP)
            continue
        if word in ("Q", "QUIT"):
            raise PlayerQuit
        if not word:
            continue
        for command in (HINT, TAKE_BACK):
            if word in (command.upper(), command[0].upper()):
                return command
        try:
            return parse_action(word, deal)
        except ValueError as error:
            print(wrapped(str(error)))


def _read_line(prompt: str) -> str:
    """Return what the player types; the end of the input quits."""
    try:
        return input(prompt)
    except EOFError:
        print()
        raise PlayerQuit from None


def _prompt(view: Any, rules: Rules) -> str:
    from german_whist.envs.engine.actions import choice_names
    from german_whist.envs.engine.cards import cards_of, deck_text

    if not view["choice"]:
        return "your card: "
    if rules.open_stock > 1:
        return f"pick a card ({deck_text(cards_of(int(view['face_up'])))}): "
    return f"{' or '.join(choice_names(rules))}: "


def parse_action(word: str, deal: TableDeal) -> int:
    """Return the legal action that a word means.

    Args:
        word: the word typed, in upper case, without blanks.
        deal: the deal; the seat to act is the player's.

    Raises:
        ValueError: if the word is not an action or not a legal one; the message says why.
    """
    from german_whist.session.deal.position import refusal_with_choices

    action = _action(word, deal)
    reason = refusal_with_choices(deal, deal.turn, action)
    if reason is not None:
        raise ValueError(reason)
    return action


def _action(word: str, deal: TableDeal) -> int:
    """Return the action that a word means: a choice, by its first letters where one is to be made, or a card."""
    from german_whist.envs.engine.actions import choice_names
    from german_whist.envs.engine.cards import NUM_CARDS, cards_of, parse_card
    from german_whist.session.deal.position import decision_text

    view, choices = deal.views(deal.turn)[0], choice_names(deal.rules)
    chooses = bool(view["choice"]) and bool(choices)
    matches = [place for place, name in enumerate(choices) if name.upper().startswith(word)]
    if len(matches) == 1 and (chooses or word.lower() in choices):
        return NUM_CARDS + matches[0]
    try:
        card = parse_card(word)
    except ValueError:
        raise ValueError(
            decision_text(deal, view)
            if chooses
            else f"{word} is not a card: type suit and rank, such as SA, or ? for help"
        ) from None
    if chooses and deal.rules.draft and card in cards_of(int(view["face_up"])):
        return NUM_CARDS  # naming the face-up card takes it
    return card
