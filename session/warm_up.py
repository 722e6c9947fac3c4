"""Warm-up: loads what the first card, hint and review need, before a person waits for them.

After an installation kernels have to be compiled, which takes minutes; later they are loaded from a cache. Networks and
endgame tables are loaded, too. All of it happens by playing a deal, of which nothing is kept.

A process that compiles kernels keeps 200 MB for good that one that loads them does not need. So where the cache is new,
another process fills it: first with what is needed now, then with what other games and agents need.
"""

from __future__ import annotations

import logging
import multiprocessing
import signal
from contextlib import suppress
from multiprocessing.connection import Connection

from german_whist.envs.engine.rules import Rules, rule_names
from german_whist.envs.engine.rules import rules as rules_named
from german_whist.envs.utils.kernel_cache import kernel_cache
from german_whist.envs.utils.processes import end_with_parent
from german_whist.session import catalogue
from german_whist.session.coach.hints import hint
from german_whist.session.coach.reviews import play_out, review
from german_whist.session.deal.events import deal_events
from german_whist.session.deal.position import position
from german_whist.session.deal.table_deal import TableDeal
from german_whist.session.game_session import Session
from german_whist.session.opponent import agent_named, name_on_command, play_action
from german_whist.session.settings import Settings
from german_whist.solver.tablebase.cache import limit_tables, open_table
from german_whist.solver.tablebase.kinds import DEFAULT_CARDS

_WORLDS = 4  # of the review: most of what it needs is that of the hint
_TABLES = ((True, False), (False, False), (True, True))  # trumps, played low
_PROGRAMS = "process"  # agents that start when they are asked for a card
_FILLED = "warm"  # a file in the cache of kernels

_LOG = logging.getLogger(__name__)


def warm_up(rules: str, agent: str | None = None) -> None:
    """Load what the page needs: the catalogue, which it shows first, then what a first deal needs.

    Args:
        rules: specification of the game that will be played first.
        agent: specification of the opponent; ``None`` for the one that the page proposes.
    """
    cache = kernel_cache()
    if cache is None or (cache / _FILLED).exists():
        _load(rules, agent)
        return
    context = multiprocessing.get_context("spawn")
    ready, is_ready = context.Pipe(duplex=False)
    child = context.Process(target=_fill, args=(rules, agent, is_ready), daemon=True)
    child.start()
    is_ready.close()
    ready.poll(None)  # until the child tells, or ends
    _load(rules, agent)
    child.join()
    if child.exitcode == 0:
        _mark_filled()


def fill_cache(rules: str) -> None:
    """Compile in this process what the page may need, so that no other process has to."""
    _load(rules, None)
    _load_others()
    _mark_filled()


def _mark_filled() -> None:
    cache = kernel_cache()
    if cache is not None:
        with suppress(OSError):  # a cache that is only read
            (cache / _FILLED).touch()


def _fill(rules: str, agent: str | None, is_ready: Connection) -> None:
    """Compile in a process of its own what this page needs, tell, and compile the rest."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C in the terminal is the server's, which ends this process
    if (server := multiprocessing.parent_process()) is not None:
        end_with_parent(server.join)
    limit_tables(DEFAULT_CARDS)
    _load(rules, agent)
    is_ready.send(True)
    _load_others()


def _load_others() -> None:
    """Play what the catalogue has: every agent, and every game with its coach."""
    small = rules_named("small")
    for spec in catalogue.agents_for(small):
        agent = agent_named(spec, small)
        play_out(TableDeal.at_address(small, 0, 0), (agent, agent))
    for name in rule_names():
        _coach(rules_named(name))


def _load(rules: str, agent: str | None) -> None:
    name_on_command(agent)
    try:
        game = rules_named(rules)
        catalogue.games()
        catalogue.agents()
        _first_card(rules, agent or catalogue.default_agent(game))
        _coach(game)
        for trump, low in _TABLES:
            open_table(trump, low)
    except ValueError as error:  # whoever asks for it is told
        _LOG.warning("warm-up: %s", error)


def _first_card(rules: str, agent: str) -> None:
    """Let the agent play a card, and say what a seat sees then."""
    session = Session(Settings(rules=rules, agent=agent))
    if not agent.startswith(_PROGRAMS):
        play_action(session.agent, session.deal, 0, 0)
    position(session.deal, 0, session.names, deal_events(session.deal, 0, session.names))


def _coach(rules: Rules) -> None:
    """Play a deal with a perfect endgame, give a hint, and review the deal."""
    bot = agent_named("heuristic+exact", rules)
    played = play_out(TableDeal.at_address(rules, 0, 0), (bot, bot))
    hint(TableDeal.at_address(rules, 0, 0))
    review(played, 0, ("You", "Agent"), worlds=_WORLDS)
