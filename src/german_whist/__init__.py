"""German Whist for reinforcement learning: environments, agents, an exact endgame solver and matches between agents.

Importing the package registers ``GermanWhist-v0`` with Gymnasium and ``german_whist/classic-v0`` with PettingZoo. The
names in ``__all__`` are loaded on first use, which keeps the import fast.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from german_whist.registration import register_environments

if TYPE_CHECKING:
    from german_whist.agents.endgame.exact_agent import with_exact_endgame as with_exact_endgame
    from german_whist.agents.inference.deck_sampling import sample_decks as sample_decks
    from german_whist.agents.inference.state_sampling import sample_states as sample_states
    from german_whist.agents.policy.agent import PolicyAgent as PolicyAgent
    from german_whist.agents.policy.canonical import canonical_views as canonical_views
    from german_whist.agents.policy.canonical import decode_actions as decode_actions
    from german_whist.agents.policy.inputs import network_inputs as network_inputs
    from german_whist.agents.policy.observation_agent import ObservationAgent as ObservationAgent
    from german_whist.agents.registry import agent_names as agent_names
    from german_whist.agents.registry import make_agent as make_agent
    from german_whist.envs.agent import Agent as Agent
    from german_whist.envs.agent import AgentForfeit as AgentForfeit
    from german_whist.envs.agent import Values as Values
    from german_whist.envs.engine.cards import card as card
    from german_whist.envs.engine.cards import card_text as card_text
    from german_whist.envs.engine.cards import cards_of_mask as cards_of_mask
    from german_whist.envs.engine.cards import hand as hand
    from german_whist.envs.engine.match_format import max_reward as max_reward
    from german_whist.envs.engine.rules import Rules as Rules
    from german_whist.envs.engine.rules import rule_names as rule_names
    from german_whist.envs.engine.rules import rules as rules
    from german_whist.envs.observation.history import max_game_length as max_game_length
    from german_whist.envs.observation.vector import observation_layout as observation_layout
    from german_whist.envs.observation.vector import observe as observe
    from german_whist.envs.observation.vector import view_from_observation as view_from_observation
    from german_whist.envs.pettingzoo_env import env as env
    from german_whist.envs.pettingzoo_env import raw_env as raw_env
    from german_whist.envs.simulator.batch import DealBatch as DealBatch
    from german_whist.envs.text.rules_text import rules_text as rules_text
    from german_whist.evaluation.exploitability.best_response import exploitability as exploitability
    from german_whist.evaluation.match import play_match as play_match
    from german_whist.evaluation.match import play_series as play_series
    from german_whist.evaluation.recording import Recording as Recording
    from german_whist.evaluation.recording import read_recordings as read_recordings
    from german_whist.evaluation.sprt import play_sprt as play_sprt
    from german_whist.evaluation.tournament.play import play_tournament as play_tournament
    from german_whist.evaluation.tournament.standings import standings as standings
    from german_whist.solver.endgame_kernels import endgame_tricks as endgame_tricks
    from german_whist.solver.endgames import endgame_move_values as endgame_move_values
    from german_whist.solver.endgames import endgame_solver as endgame_solver
    from german_whist.solver.endgames import solve_endgame as solve_endgame
    from german_whist.solver.endgames import solve_endgames as solve_endgames
    from german_whist.solver.races import race_move_values as race_move_values
    from german_whist.solver.races import solve_races as solve_races
    from german_whist.text_env import TextEnv as TextEnv

__version__ = "0.1.0"

_MODULES = {
    "Agent": "envs.agent",
    "AgentForfeit": "envs.agent",
    "DealBatch": "envs.simulator.batch",
    "ObservationAgent": "agents.policy.observation_agent",
    "PolicyAgent": "agents.policy.agent",
    "Recording": "evaluation.recording",
    "Rules": "envs.engine.rules",
    "TextEnv": "text_env",
    "Values": "envs.agent",
    "agent_names": "agents.registry",
    "canonical_views": "agents.policy.canonical",
    "card": "envs.engine.cards",
    "card_text": "envs.engine.cards",
    "cards_of_mask": "envs.engine.cards",
    "decode_actions": "agents.policy.canonical",
    "endgame_move_values": "solver.endgames",
    "endgame_solver": "solver.endgames",
    "endgame_tricks": "solver.endgame_kernels",
    "env": "envs.pettingzoo_env",
    "exploitability": "evaluation.exploitability.best_response",
    "hand": "envs.engine.cards",
    "make_agent": "agents.registry",
    "max_game_length": "envs.observation.history",
    "max_reward": "envs.engine.match_format",
    "network_inputs": "agents.policy.inputs",
    "observation_layout": "envs.observation.vector",
    "observe": "envs.observation.vector",
    "play_match": "evaluation.match",
    "play_series": "evaluation.match",
    "play_sprt": "evaluation.sprt",
    "play_tournament": "evaluation.tournament.play",
    "race_move_values": "solver.races",
    "raw_env": "envs.pettingzoo_env",
    "read_recordings": "evaluation.recording",
    "rule_names": "envs.engine.rules",
    "rules": "envs.engine.rules",
    "rules_text": "envs.text.rules_text",
    "sample_decks": "agents.inference.deck_sampling",
    "sample_states": "agents.inference.state_sampling",
    "solve_endgame": "solver.endgames",
    "solve_endgames": "solver.endgames",
    "solve_races": "solver.races",
    "standings": "evaluation.tournament.standings",
    "view_from_observation": "envs.observation.vector",
    "with_exact_endgame": "agents.endgame.exact_agent",
}

__all__ = ["__version__", *_MODULES]  # noqa: PLE0604 - the names are strings


def __getattr__(name: str) -> Any:
    """Load a public name on first use (PEP 562)."""
    module = _MODULES.get(name)
    if module is None:
        import difflib

        near = difflib.get_close_matches(name, _MODULES, n=1)
        hint = f": did you mean {near[0]!r}?" if near else ""
        # With ``name`` set, the interpreter adds no suggestion to ours.
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}{hint}", name=name)
    value = getattr(importlib.import_module(f"{__name__}.{module}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


register_environments()
