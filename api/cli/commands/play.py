"""``german-whist play``: play against an agent in the terminal."""

from __future__ import annotations

import argparse
import secrets
from typing import TYPE_CHECKING, Any

from german_whist.cli.terminal.argument_types import parse_whole_number

if TYPE_CHECKING:
    from german_whist.agents.bots.base import Agent
    from german_whist.arena.recording import DealResult
    from german_whist.envs.engine.match_format import MatchFormat


def add_parser(subparsers: Any) -> None:
    """Register the command."""
    parser = subparsers.add_parser(
        "play",
        help="play against an agent",
        description="Play against an agent in the terminal. Type a card as SA or s a, ? for help, q to quit.",
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
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Play."""
    from contextlib import nullcontext

    from german_whist.agents.registry import make_agent
    from german_whist.arena.recording_file import writing_recordings
    from german_whist.envs.engine.match_format import match_format_of

    if options.deals is not None and options.deals < 1:
        raise ValueError(f"deals {options.deals} is not allowed: a whole number from 1")
    seed = secrets.randbelow(2**32) if options.seed is None else options.seed
    agent = make_agent(options.agent)
    names = [options.agent, options.agent]
    names[options.seat] = "you"
    match = None if options.match is None else match_format_of(options.match)
    session = _Session(agent, names, options.rules, options.seat, seed)
    with nullcontext(None) if options.record is None else writing_recordings(options.record) as record:
        session.play(options.deals, match, record)
    return 0


class _Session:
    """A sequence of deals between a person and an agent."""

    def __init__(self, agent: Agent, names: list[str], rules: str, seat: int, seed: int) -> None:
        from german_whist.envs.simulator.batch import DealBatch

        self.batch = DealBatch(rules, 1, seed, history=True)
        self.agent, self.names, self.seat = agent, names, seat
        self.points = [0.0, 0.0]
        self.won = [0, 0]
        self.deals = 0

    def play(self, deals: int | None, match: MatchFormat | None, record: Any) -> None:
        """Play a number of deals, or a match, or until the player quits, and print the score."""
        from german_whist.cli.terminal.human_player import PlayerQuit
        from german_whist.envs.text.rules_text import rules_spec

        opponent = self.names[1 - self.seat]
        print(f"German Whist, {rules_spec(self.batch.rules)}: you (player_{self.seat}) against {opponent}.")
        print(f"The deals have seed {self.batch.seed}. Type ? for help, q to quit.")
        try:
            while deals is None or self.deals < deals:
                self._play_deal(self.deals, record)
                if match is not None and self._is_won(match):
                    return
                if deals is None:
                    _wait("Enter for the next deal, q to quit: ")
        except (PlayerQuit, KeyboardInterrupt):
            print("\nYou leave the table.")
            if self.deals:
                self._print_score()

    def _play_deal(self, index: int, record: Any) -> None:
        """Play deal ``index`` of the seed."""
        from german_whist.arena.recording import DealResult, Recording
        from german_whist.cli.terminal.human_player import ask_action
        from german_whist.cli.terminal.play_by_play import describe_action, describe_result
        from german_whist.envs.text.deal_text import print_deal

        batch, rules = self.batch, self.batch.rules
        batch.reset(index)
        state = batch.states[0]
        dealer = int(state["dealer"])
        print(f"\nDeal {index + 1}, dealt by {self.names[dealer]}.")
        actions: list[int] = []
        while not batch.done[0]:
            mine = int(batch.turn[0]) == self.seat
            if mine:
                print_deal(batch, 0, self.seat)
                action = ask_action(batch.views()[0], rules)
            else:
                action = self._agent_action(index, len(actions))
            before = state.copy()
            batch.step([action])
            actions.append(action)
            for sentence in describe_action(before, state, action, rules, self.names, self.seat):
                print(sentence)
        result = DealResult.of(batch)
        print_deal(batch, 0, self.seat)
        print(describe_result(result, self.names, rules, bool(state["low"])))
        self._count(result)
        if record is not None:
            names = (self.names[0], self.names[1])
            record(Recording(rules, dealer, names, tuple(actions), result, deal=(batch.seed, index)))
        self._print_score()

    def _agent_action(self, index: int, step: int) -> int:
        """Return the agent's action; it draws the same random numbers as in ``evaluate``."""
        import numpy as np

        from german_whist.envs.engine.agent_rng import AgentRng
        from german_whist.envs.opponent import ask_opponent

        batch = self.batch
        rng = AgentRng(batch.seed, [2 * index + 1 - self.seat], step=step)
        return int(ask_opponent(self.agent, batch, np.zeros(1, np.int64), rng)[0])

    def _count(self, result: DealResult) -> None:
        self.deals += 1
        if result.margin:
            winner = 0 if result.margin > 0 else 1
            self.points[winner] += abs(result.points)
            self.won[winner] += 1

    def _is_won(self, match: MatchFormat) -> bool:
        """Return whether the match is over, and print who has won it."""
        import numpy as np

        scores = self.points if match.kind == "first_to" else [float(won) for won in self.won]
        winner = int(match.winners(np.array([scores]))[0])
        if winner < 0:
            return False
        name = self.names[winner]
        score = f"{scores[winner]:g} to {scores[1 - winner]:g}"
        print(f"You win the match, {score}." if name == "you" else f"{name} wins the match, {score}.")
        return True

    def _print_score(self) -> None:
        scores = [
            f"{self.names[seat]} {self.points[seat]:g} points, {self.won[seat]} won"
            for seat in (self.seat, 1 - self.seat)
        ]
        print(f"Score after {self.deals} deal{'' if self.deals == 1 else 's'}: {'; '.join(scores)}.")


def _wait(prompt: str) -> None:
    from german_whist.cli.terminal.human_player import PlayerQuit

    try:
        word = input(prompt).strip().lower()
    except EOFError:
        print()
        raise PlayerQuit from None
    if word in ("q", "quit"):
        raise PlayerQuit
