"""German Whist in OpenSpiel. Importing this package registers ``python_german_whist`` with ``pyspiel``.

Example:
    >>> import german_whist.openspiel
    >>> game = pyspiel.load_game("python_german_whist(rules=tiny)")
"""

from __future__ import annotations

from german_whist.game.utils.libraries import explained

try:
    import pyspiel  # noqa: F401 - only to check that it is installed
except ImportError as error:
    raise explained(error) from None

from german_whist.openspiel.bots import AgentBot, BotAgent
from german_whist.openspiel.game import GermanWhistGame, load_game, register
from german_whist.openspiel.state import GermanWhistState, Resampler, state_of

__all__ = ["AgentBot", "BotAgent", "GermanWhistGame", "GermanWhistState", "Resampler", "load_game", "state_of"]

register()
