"""Write the mean of networks that were trained on from the same one.

``python -m german_whist.training.average_checkpoints FILE FILE… --out FILE``. The mean of the weights is often stronger
than each network (Wortsman et al., "Model soups", arXiv 2203.05482). If all have a value network, so has the mean, with
a last layer fitted to its own self-play.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import torch

from german_whist.agents.policy.checkpoint import Checkpoint, load_checkpoint
from german_whist.agents.policy.input_blocks import UNIVERSAL_LAYOUT
from german_whist.agents.policy.network.layers import UNIVERSAL, Layer, sizes_of
from german_whist.envs.text.rules_text import rules_spec
from german_whist.training.config.game_settings import EVERY, every_game
from german_whist.training.networks.phased_mlp import FrozenPhasedMLP, PhasedMLP
from german_whist.training.policy_iteration.learner import mean_layers
from german_whist.training.policy_iteration.value_fit import fit_value, self_play_outcomes

VALUE_DEALS = 16_384


def average_checkpoints(sources: Sequence[str | Path], target: str | Path, value_deals: int = VALUE_DEALS) -> None:
    """Write a checkpoint with the mean weights of others.

    The model card is that of the last one, and says that it is a mean.

    Args:
        sources: two checkpoint files or more.
        target: the checkpoint file to write.
        value_deals: deals of self-play that the value is fitted to: of the network's game, or of every preset with an
            open endgame if it sees universal inputs and was not trained in one game alone.

    Raises:
        ValueError: when there are fewer than two, one is no checkpoint, or they differ in more than their weights.
        OSError: when the file cannot be written.
    """
    if len(sources) < 2:
        raise ValueError("a mean needs at least two checkpoints")
    checkpoints = [load_checkpoint(path) for path in sources]
    last, has_value = checkpoints[-1], all(checkpoint.value for checkpoint in checkpoints)
    for path, checkpoint in zip(sources, checkpoints, strict=True):
        if _architecture(checkpoint, has_value) != _architecture(last, has_value):
            raise ValueError(f"{str(path)!r} and {str(sources[-1])!r} differ in more than their weights")
    layers = mean_layers([checkpoint.layers for checkpoint in checkpoints])
    algorithm = f"{last.training.get('algorithm', 'unknown')}; the mean of {len(checkpoints)} networks"
    mean = replace(last, layers=layers, value=(), results={}, training={**last.training, "algorithm": algorithm})
    if has_value:
        value = mean_layers([checkpoint.value for checkpoint in checkpoints])
        mean = replace(mean, value=_fitted(value, mean, value_deals))
    mean.save(target)


def _architecture(checkpoint: Checkpoint, has_value: bool) -> tuple[object, ...]:
    """Return all that has to be the same."""
    networks = (checkpoint.layers, checkpoint.value if has_value else ())
    shapes = [[weight.shape for weight, _ in layers] for layers in networks]
    game = None if checkpoint.inputs == UNIVERSAL else checkpoint.rules
    sees = (game, checkpoint.inputs, checkpoint.ranks, checkpoint.suit_layers)
    return (shapes, *sees, checkpoint.endgame, checkpoint.logits_per_trick)


def _fitted(value: tuple[Layer, ...], mean: Checkpoint, deals: int) -> tuple[Layer, ...]:
    """Return a value network whose last layer is fitted to self-play of a policy."""
    inputs, *hidden, outputs = sizes_of(mean.layers, mean.suit_layers)
    stock = UNIVERSAL_LAYOUT["stock"].start  # in observations, too
    network = PhasedMLP(torch.ones(inputs), hidden, outputs, 1.0, (), stock, mean.suit_layers)
    network.load_raw_layers(mean.layers, "the mean")
    config = mean.training.get("config", {})
    shares = _games(config.get("games", {})) if mean.inputs == UNIVERSAL else {rules_spec(mean.rules): 1.0}
    seed = int(config.get("seed", 0))
    outcomes = self_play_outcomes(FrozenPhasedMLP(network), shares, deals, seed, mean.ranks, mean.inputs)
    return fit_value(value, mean.suit_layers, outcomes)


def _games(trained: Mapping[str, float]) -> Mapping[str, float]:
    """Return the only game of the training of a network with universal inputs, else every game."""
    return trained if len(trained) == 1 and EVERY not in trained else every_game()


def main(words: Sequence[str] | None = None) -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(prog="python -m german_whist.training.average_checkpoints", description=__doc__)
    parser.add_argument("sources", metavar="FILE", nargs="+", help="the checkpoints")
    parser.add_argument("--out", metavar="FILE", required=True, help="the checkpoint to write")
    options = parser.parse_args(words)
    try:
        average_checkpoints(options.sources, options.out)
    except (ValueError, OSError) as error:
        print(f"{parser.prog}: {error}", file=sys.stderr)
        return 2
    print(f"{options.out}: the mean of {len(options.sources)} checkpoints")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
