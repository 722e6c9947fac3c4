"""The network that a run starts from, ``init``."""

from __future__ import annotations

from german_whist.agents.policy.checkpoint import Checkpoint
from german_whist.agents.pretrained.catalog import find_network


def network_to_start_from(name: str, ranks: str, inputs: str, suit_layers: int) -> Checkpoint:
    """Return the checkpoint of a pretrained agent or of a file.

    Args:
        name: the agent's name or the file's path.
        ranks: ranks as the run's policy sees them.
        inputs: what it sees.
        suit_layers: number of its layers whose weights the suits share.

    Raises:
        ValueError: when there is no such network, or it differs from the settings.
    """
    try:
        start = find_network(name)
    except ValueError as error:
        raise ValueError(f"init: {error}") from None
    if start.ranks != ranks:
        raise ValueError(f"init: {name!r} sees ranks {start.ranks}: set ranks to {start.ranks}")
    if start.inputs != inputs:
        raise ValueError(f"init: {name!r} has {start.inputs} inputs: set inputs to {start.inputs} (policy_iteration)")
    if start.suit_layers != suit_layers:
        raise ValueError(
            f"init: {name!r} has {start.suit_layers} suit layers: set suit_layers to {start.suit_layers} "
            "(policy_iteration)"
        )
    return start
