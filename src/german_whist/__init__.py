"""German Whist for reinforcement learning: environments, agents, an exact endgame solver and matches between agents.

Importing the package registers ``GermanWhist-v0`` with Gymnasium and ``german_whist/classic-v0`` with PettingZoo.
``__init__.pyi`` lists the public names; each is loaded on first use, which keeps the import fast.
"""

import lazy_loader

from german_whist.registration import register_environments

__version__ = "0.1.0"
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

register_environments()
