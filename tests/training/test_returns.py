"""Credit seat by seat, against sums written out in plain Python."""

from __future__ import annotations

import numpy as np
import pytest

from german_whist.training.policy_iteration.return_kernels import watkins_q_lambda

STEPS, ROWS = 14, 5


def returns_by_hand(rollout: dict[str, np.ndarray], row: int, value_lambda: float) -> dict[int, float]:
    """What the seats may expect at the steps of a row with targets: from the next own step on, first to last."""
    out: dict[int, float] = {}

    def at(step: int) -> float:
        best = rollout["best"][step, row]
        target = float(rollout["q_targets"][step, row, best])
        if rollout["actions"][step, row] != best:
            return target
        for later in range(step + 1, STEPS):
            if rollout["ends"][later - 1, row]:
                break
            if rollout["seats"][later, row] == rollout["seats"][step, row] and rollout["target_mask"][later, row]:
                return (1 - value_lambda) * target + value_lambda * at(later)
        return target

    for step in range(STEPS):
        if rollout["target_mask"][step, row]:
            out[step] = at(step)
    return out


@pytest.mark.parametrize("value_lambda", [0.0, 0.6, 1.0])
@pytest.mark.parametrize("seed", range(4))
def test_watkins_returns_match_the_definition(seed: int, value_lambda: float) -> None:
    rng = np.random.default_rng(seed)
    shape = (STEPS, ROWS)
    best = rng.integers(0, 3, shape)
    logits = rng.normal(size=(*shape, 3)).astype(np.float32)
    masks = rng.random((*shape, 3)) < 0.8
    np.put_along_axis(masks, best[:, :, None], True, axis=2)
    np.put_along_axis(logits, best[:, :, None], 9, axis=2)
    logits[~masks] = 10  # an illegal action is never the best one
    rollout = {
        "q_targets": rng.normal(size=(*shape, 3)).astype(np.float32),
        "best": best,
        "actions": np.where(rng.random(shape) < 0.7, best, rng.integers(0, 3, shape)),
        "seats": rng.integers(0, 2, shape).astype(np.int8),
        "ends": rng.random(shape) < 0.15,
        "target_mask": rng.random(shape) < 0.8,
    }
    returns = np.full(shape, np.nan, np.float32)
    recorded = [rollout[name] for name in ("actions", "seats", "ends", "target_mask")]
    watkins_q_lambda(ROWS, rollout["q_targets"], logits, masks, *recorded, np.float32(value_lambda), returns)
    assert np.isnan(returns[~rollout["target_mask"]]).all()
    for row in range(ROWS):
        for step, expected in returns_by_hand(rollout, row, value_lambda).items():
            assert returns[step, row] == pytest.approx(expected, abs=1e-5)
