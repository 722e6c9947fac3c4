"""German Whist for reinforcement learning: environments, agents, an exact endgame solver and matches between agents.

Importing the package registers ``GermanWhist-v0`` with Gymnasium and ``german_whist/classic-v0`` with PettingZoo.
``__init__.pyi`` lists the public names; each is loaded on first use, which keeps the import fast.
"""

from typing import Any

import lazy_loader

from german_whist.registration import register_environments

__version__ = "0.1.0"
_load, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

register_environments()


def __getattr__(name: str) -> Any:
    try:
        return _load(name)
    except ModuleNotFoundError as error:
        from german_whist.game.utils.libraries import explained

        raise explained(error) from None
