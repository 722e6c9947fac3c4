"""Names of earlier versions, refused with their current name."""

from __future__ import annotations

KEYS = {
    "rows": "num_envs",
    "steps": "num_steps",
    "entropy": "ent_coef",
    "entropy_end": "ent_coef_end",
    "value_weight": "vf_coef",
    "clip": "clip_coef",
    "utility": "margin_tanh_scale",
    "orders": "stock_rotations",
    "late_rows": "late_phase_fraction",
    "average_over": "ema_horizon",
    "final_checkpoints": "average_last_checkpoints",
    "cooldown": "lr_cooldown",
    "value_from": "value_start",
    "phases_from": "phases_start",
    "lookahead_from": "lookahead_start",
    "trace": "value_lambda",
    "student_hidden": "distill_hidden",
}
VALUES = {
    "trainer": {"selfplay": "ppo", "teacher": "policy_iteration"},
    "endgame": {"solved": "exact"},
}
RECIPES = {"selfplay": "ppo"}


def check_not_renamed(kind: str, name: object, renamed: dict[str, str]) -> None:
    """Refuse a name of earlier versions.

    Args:
        kind: what the name is of, for the error message.
        name: the name given.
        renamed: current names by earlier name.

    Raises:
        ValueError: if it is one; the message says the current name.
    """
    if isinstance(name, str) and name in renamed:
        raise ValueError(f"unknown {kind} {name!r}: it is now called {renamed[name]}")
