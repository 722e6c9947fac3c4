"""``german-whist play``: play against an agent in the terminal."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from german_whist.cli.options import parse_whole_number
from german_whist.cli.terminal import wrapped
from german_whist.envs.utils.specs import count_text, integers, must_be

if TYPE_CHECKING:
    from german_whist.envs.agent import Agent
    from german_whist.envs.engine.match_format import MatchFormat
    from german_whist.envs.engine.rules import Rules
    from german_whist.envs.simulator.batch import DealBatch
    from german_whist.evaluation.recording import Recording

HELP = """\
A card is its suit and its rank, in any order and case: SA or s a is the ace of spades, HT or 10h the ten of hearts.
Suits: C clubs, D diamonds, H hearts, S spades. Ranks: 2 3 4 5 6 7 8 9 T J Q K A.
At a choice, type the word (or its first letter), or the face-up card that you pick.
h shows a hint, b takes back your last card, ? shows this help, q quits."""

HINT, TAKE_BACK = "hint", "back"


def add_parser(subparsers: Any) -> None:
    """Register the command."""
    parser = subparsers.add_parser(
        "play",
        help="play against an agent in the terminal",
        description="Play against an agent in the terminal. Type a card as SA or s a, h for a hint, b to take back "
        "your last card, ? for help, q to quit.",
        epilog="example: german-whist play heuristic --rules small --seat 1 --deals 3",
    )
    parser.add_argument(
        "agent", nargs="?", default="heuristic", metavar="AGENT", help="the opponent (default heuristic)"
    )
    parser.add_argument("--rules", default="classic", help="the game (see german-whist rules; default classic)")
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
    parser.add_argument("--record", metavar="FILE", help="write the finished deals to this file as JSON lines")
    parser.add_argument("--review", action="store_true", help="review every deal when it is over")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Play."""
    from contextlib import nullcontext

    from german_whist.agents.registry import make_agent
    from german_whist.envs.engine.match_format import match_format_of
    from german_whist.envs.engine.rules import rules
    from german_whist.envs.simulator.reset_options import draw_seed
    from german_whist.envs.utils.checks import check_seed
    from german_whist.evaluation.recording import writing_recordings

    if options.deals is not None and options.deals < 1:
        raise ValueError(must_be("deals", integers(1), options.deals))
    game = rules(options.rules)
    agent = make_agent(options.agent, game).for_match()
    match = None if options.match is None else match_format_of(options.match)
    seed = draw_seed() if options.seed is None else check_seed(options.seed)
    with nullcontext(None) if options.record is None else writing_recordings(options.record) as record:
        _Table(agent, game, match, seed, options.seat, record, reviews=options.review).play(options.deals)
    return 0


class PlayerQuit(Exception):  # noqa: N818 - not an error
    """Raised when the player quits."""


class _Table:
    """A table at the prompt: one deal after another against an agent, and the score."""

    def __init__(
        self,
        agent: Agent,
        rules: Rules,
        match: MatchFormat | None,
        seed: int,
        seat: int,
        record: Callable[[Recording], None] | None,
        *,
        reviews: bool,
    ) -> None:
        from german_whist.envs.agent import agent_name
        from german_whist.envs.simulator.episodes import Episode
        from german_whist.envs.text.scene import YOU

        self.agent, self.match, self.seat = agent, match, seat
        self.record, self.reviews = record, reviews
        self.title = agent_name(agent)
        self.names = (YOU, self.title) if seat == 0 else (self.title, YOU)
        self.deal = Episode(rules, history=True)
        self.address = seed, 0
        self.turns: list[int] = []  # the seats that have acted in the deal
        self.points, self.won, self.finished = [0.0, 0.0], [0, 0], 0
        self.recording: Recording | None = None  # of the last deal that was played to its end

    def play(self, deals: int | None) -> None:
        """Play a number of deals, a match, or until the player quits, and print the score."""
        from german_whist.envs.text.rules_text import rules_spec

        print(f"German Whist, {rules_spec(self.deal.rules)}: you against {self.title}.")
        print(f"The deals have seed {self.address[0]}. Type ? for help, q to quit.")
        try:
            while True:
                self._play_deal()
                if self._is_won() or self.finished == deals:
                    return
                if deals is None:
                    self._wait()
                self.address = self.address[0], self.address[1] + 1
        except (PlayerQuit, KeyboardInterrupt):
            print("\nYou leave the table.")
            if self.finished:
                self._print_score()

    def _deal(self, actions: Sequence[int] = ()) -> None:
        """Deal the cards of ``address``, and play some actions."""
        self.deal.reset(options={"deal": self.address})
        self.turns = []
        for action in actions:
            self.turns.append(self.deal.turn)
            self.deal.play(action)

    @property
    def _actions(self) -> list[int]:
        assert self.deal.batch.log is not None  # histories are kept
        actions: list[int] = self.deal.batch.log.actions[0, : int(self.deal.plies[0])].tolist()
        return actions

    def _play_deal(self) -> None:
        """Deal, and play until the deal is over."""
        from german_whist.envs.text.deal_text import print_deal
        from german_whist.envs.text.events import forfeit_text

        self._deal()
        batch, index = self.deal.batch, self.address[1]
        dealer = "you" if int(batch.states["dealer"][0]) == self.seat else self.title
        print(f"\nDeal {index + 1}, dealt by {dealer}.")
        forfeit = None
        while not self.deal.over[0]:
            if self.deal.turn == self.seat:
                print_deal(batch, 0, self.seat, names=self.names)
                self._ask()
            else:
                forfeit = self._let_agent_act()
        self._count()
        if forfeit is not None:
            print(f"{forfeit_text(1 - self.seat, forfeit, self.names)}.")
            self.recording = None
        else:
            print_deal(batch, 0, self.seat, names=self.names)
            self._end_deal()
        self._print_score()
        if self.reviews:
            self._review()

    def _let_agent_act(self) -> str | None:
        """Let the agent act; if it forfeits the deal instead, return the reason."""
        import numpy as np

        from german_whist.envs.turns import play_turn

        before, seat = self.deal.batch.states[0].copy(), self.deal.turn
        # The address that the agent would have as the first of a match, where its seat tells a deal's two games apart.
        address = np.array([2 * self.address[1] + seat], np.uint64)
        lost = play_turn(self.agent, self.deal, self.deal.every_row, addresses=address, may_forfeit=True)
        if lost:
            return lost[0].reason
        self._describe(before)
        return None

    def _ask(self) -> None:
        """Ask for an action and play it, or give a hint or take back."""
        from german_whist.cli.coaching import hint_of, print_hint
        from german_whist.envs.text.decisions import stake_text

        batch, rules = self.deal.batch, self.deal.rules
        stake = stake_text(batch.views()[0], rules)
        if stake is not None:
            print(wrapped(stake))
        answer = ask_action(batch)
        if isinstance(answer, int):
            before = batch.states[0].copy()
            self.deal.play(answer)
            self._describe(before)
        elif answer == HINT:
            print_hint(
                hint_of(batch.views(), rules, batch.history(seats=[self.seat])), rules, int(batch.states["trump"][0])
            )
        elif self.seat not in self.turns:
            print("You have not played yet: there is nothing to take back.")
        else:
            step = len(self.turns) - 1 - self.turns[::-1].index(self.seat)
            self._deal(self._actions[:step])
            print("Your last card is taken back.")

    def _describe(self, before: Any) -> None:
        """Print what the last action did; ``before`` is the state before it."""
        from german_whist.envs.text.events import action_events

        rules, after, actions = self.deal.rules, self.deal.batch.states[0], self._actions
        self.turns.append(int(before["turn"]))
        for event in action_events(rules, before, after, actions[-1], len(actions), self.seat, self.names):
            print(event.text)

    def _end_deal(self) -> None:
        """Print the result of a deal that was played to its end, and record it."""
        from german_whist.envs.text.events import result_sentence
        from german_whist.evaluation.recording import DealResult, Recording

        batch, rules = self.deal.batch, self.deal.rules
        result, dealer = DealResult.of(batch), int(batch.states["dealer"][0])
        low = bool(batch.states["low"][0])
        print(result_sentence(result.tricks, result.margin, result.points, rules, self.names, low=low))
        names = ("you", self.title) if self.seat == 0 else (self.title, "you")
        self.recording = Recording(rules, dealer, names, tuple(self._actions), result, self.address)
        if self.record is not None:
            self.record(self.recording)

    def _count(self) -> None:
        """Add the finished deal to the score."""
        margin, points = (self.deal.returns(reward, self.deal.every_row)[0] for reward in ("margin", "points"))
        self.finished += 1
        if margin[0]:
            winner = 0 if margin[0] > 0 else 1
            self.points[winner] += float(points[winner])
            self.won[winner] += 1

    def _review(self) -> None:
        from german_whist.cli.coaching import print_review, review_of

        print()
        if self.recording is None:
            print("A deal that was forfeited cannot be reviewed.")
        else:
            print_review(review_of(self.recording, self.seat, self.names), self.deal.rules)

    def _is_won(self) -> bool:
        """Return whether the match is over, and print who has won it."""
        import numpy as np

        from german_whist.envs.engine.match_format import FIRST_TO
        from german_whist.envs.text.events import sentence

        if self.match is None:
            return False
        scores = self.points if self.match.kind == FIRST_TO else self.won
        winner = int(self.match.winners(np.array([scores], np.float64))[0])
        if winner < 0:
            return False
        score = f"{scores[winner]:g} to {scores[1 - winner]:g}"
        print(sentence(self.names[winner], f"win{{s}} the match, {score}"))
        return True

    def _print_score(self) -> None:
        scores = [
            f"{self.names[seat]} {count_text(self.points[seat], 'point')}, {self.won[seat]} won"
            for seat in (self.seat, 1 - self.seat)
        ]
        print(f"Score after {count_text(self.finished, 'deal')}: {'; '.join(scores)}.")

    def _wait(self) -> None:
        """Wait for Enter; r reviews the deal, q quits."""
        while True:
            word = _read_line("Enter for the next deal, r for a review of this one, q to quit: ").strip().lower()
            if word in ("q", "quit"):
                raise PlayerQuit
            if word not in ("r", "review"):
                return
            self._review()


def ask_action(deal: DealBatch) -> int | str:
    """Ask the player until a legal action is typed, and return its number, or ``HINT`` or ``TAKE_BACK``.

    Args:
        deal: one deal; it is the player's turn.

    Raises:
        PlayerQuit: if the player types ``q``, or the input ends.
    """
    prompt = _prompt(deal.views()[0], deal.rules)
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


def parse_action(word: str, deal: DealBatch) -> int:
    """Return the legal action that a word means.

    Args:
        word: the word typed, in upper case, without blanks.
        deal: one deal; the seat to act is the player's.

    Raises:
        ValueError: if the word is not an action or not a legal one; the message says why.
    """
    from german_whist.envs.text.decisions import refusal, with_choices

    view, kind = deal.views()[0], int(deal.states["decision"][0])
    action = _action(word, view, deal.rules, kind)
    reason = refusal(view, deal.rules, kind, action)
    if reason is not None:
        raise ValueError(with_choices(reason, view, deal.rules))
    return action


def _action(word: str, view: Any, rules: Rules, kind: int) -> int:
    """Return the action that a word means: a card, or a choice, for which its first letters do if one is due."""
    from german_whist.envs.engine.actions import choice_names
    from german_whist.envs.engine.cards import NUM_CARDS, cards_of, parse_card
    from german_whist.envs.text.decisions import decision_text

    choices = choice_names(rules)
    chooses = bool(view["choice"]) and bool(choices)
    matches = [place for place, name in enumerate(choices) if name.upper().startswith(word)]
    if len(matches) == 1 and (chooses or word.lower() in choices):
        return NUM_CARDS + matches[0]
    try:
        card = parse_card(word)
    except ValueError:
        raise ValueError(
            decision_text(view, rules, kind)
            if chooses
            else f"{word} is not a card: type suit and rank, such as SA, or ? for help"
        ) from None
    if chooses and rules.draft and card in cards_of(int(view["face_up"])):
        return NUM_CARDS  # naming the face-up card takes it
    return card
