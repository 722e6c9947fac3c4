# The only list of the public names: `__init__.py` loads each on first use, and docs/reference/api shows them all.
from .agents.base import Agent as Agent
from .agents.endgame.exact_agent import with_exact_endgame as with_exact_endgame
from .agents.inference.sampling import sample_states as sample_states
from .agents.policy.inputs import network_inputs as network_inputs
from .agents.registry import agent_names as agent_names
from .agents.registry import make_agent as make_agent
from .envs.pettingzoo_env import env as env
from .envs.pettingzoo_env import raw_env as raw_env
from .envs.text_env import TextEnv as TextEnv
from .evaluation.exploitability.best_response import exploitability as exploitability
from .evaluation.match import play_match as play_match
from .evaluation.recording import Recording as Recording
from .evaluation.recording import read_recordings as read_recordings
from .evaluation.sprt import play_sprt as play_sprt
from .evaluation.tournament.play import play_tournament as play_tournament
from .game.cards import card as card
from .game.cards import card_text as card_text
from .game.cards import hand as hand
from .game.rules import Rules as Rules
from .game.rules import rule_names as rule_names
from .game.rules import rules as rules
from .simulator.batch import DealBatch as DealBatch
from .simulator.decisions import Decisions as Decisions
from .simulator.observation.canonical import canonical_views as canonical_views
from .simulator.observation.canonical import decode_actions as decode_actions
from .simulator.observation.vector import action_mask as action_mask
from .simulator.observation.vector import observation_layout as observation_layout
from .simulator.observation.vector import observe as observe
from .simulator.observation.vector import view_from_observation as view_from_observation
from .solver.endgames import solve_endgame as solve_endgame
from .solver.endgames import solve_endgames as solve_endgames
from .training.train import train as train

__version__: str
__all__: list[str]
