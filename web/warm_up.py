"""Warm-up: what the first card, hint and review need is loaded before a person waits for it.

After an installation kernels have to be compiled, which takes minutes; later they are loaded from a cache. Networks and
endgame tables are loaded, too. All of it happens by playing a deal as the page would, without saving anything.
"""

from __future__ import annotations

import logging

from german_whist.envs.engine.rules import Rules
from german_whist.envs.engine.rules import rules as rules_named
from german_whist.session import catalogue
from german_whist.session.coach.hints import hint
from german_whist.session.coach.reviews import play_out, review
from german_whist.session.deal.table_deal import TableDeal
from german_whist.session.game_session import Session
from german_whist.session.opponent import agent_named, play_action
from german_whist.session.settings import Settings
from german_whist.solver.tablebase.cache import open_table
from german_whist.web.options import ServeOptions
from german_whist.web.session_json import session_json

_WORLDS = 4  # of the review: its kernels are those of the hint, so this loads what is left
_KINDS = ((True, False), (False, False), (True, True))  # of endgame tables: trumps, played low
_OUTSIDE = "process"  # agents that are programs start when they are asked

_LOG = logging.getLogger(__name__)


def warm_up(options: ServeOptions) -> None:
    """Load what the page needs, first what the first deal of the server's own game needs.

    Args:
        options: defaults of new sessions.
    """
    try:
        rules = rules_named(options.rules)
        agent = options.agent or catalogue.default_agent(rules)
        _first_card(options.rules, agent)
        catalogue.games()
        catalogue.agents()
        _coach(rules)
        for kind in _KINDS:
            open_table(*kind)
    except ValueError as error:  # whoever asks for it is told
        _LOG.warning("warm-up: %s", error)


def _first_card(rules: str, agent: str) -> None:
    """Let the agent play a card, and write the session as the page gets it."""
    session = Session(Settings(rules=rules, agent=agent))
    if not agent.startswith(_OUTSIDE):
        play_action(session.agent, session.deal, 0, 0)
    session_json(session)


def _coach(rules: Rules) -> None:
    """Give a hint, and review a deal."""
    deal = TableDeal.at_address(rules, 0, 0)
    hint(deal)
    bot = agent_named("heuristic")
    review(play_out(deal, (bot, bot)), 0, ("You", "Agent"), worlds=_WORLDS)
