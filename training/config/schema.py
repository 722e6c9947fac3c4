"""What a training run depends on: a dataclass of settings for each trainer, which refuse what cannot work."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from typing import Any, ClassVar

import yaml

from german_whist.agents.policy.checkpoint import check_phases
from german_whist.agents.registry import agent_names, make_agent
from german_whist.envs.engine.rules import rules
from german_whist.envs.utils.specs import unknown_name

OWN_OPPONENTS = ("self", "pool")
ADAM, MUON = "adam", "muon"
OPTIMIZERS = (ADAM, MUON)
LARGEST = 10**12  # of whole numbers; more than any machine could train on or hold
LARGEST_SEED = 2**32 - 1  # numpy takes no larger one
_WHO_LEARNS = "the algorithm: ppo (our own PPO), policy_iteration (regression on action values) or sb3 (MaskablePPO of sb3-contrib)"


def _setting(default: Any, text: str) -> Any:
    """Declare a field with its default and the help that the command line shows."""
    if isinstance(default, (list, dict)):
        return field(default_factory=lambda: type(default)(default), metadata={"help": text})
    return field(default=default, metadata={"help": text})


def _check_sizes(key: str, sizes: list[int]) -> None:
    if not sizes or min(sizes) < 1 or max(sizes) > LARGEST:
        raise ValueError(f"{key}: {sizes} is not allowed: at least one layer, each from 1 to {LARGEST}")


@dataclass(frozen=True)
class TrainConfig:
    """Everything that a run of ``trainer: sb3`` depends on. See each field's help for its meaning.

    Raises:
        ValueError: when a value is not allowed; the message names the key.
    """

    WITHOUT: ClassVar[tuple[str, ...]] = ()  # settings of a parent that this trainer has not

    trainer: str = _setting("sb3", _WHO_LEARNS)
    rules: str = _setting("classic", "the game: a preset, or a preset with settings as classic:hand=10,stock=32")
    reward: str = _setting("margin", "margin, win or points; scaled so that the largest is 1")
    per_trick: bool = _setting(True, "pay the margin as its tricks are taken, which adds up to the same")
    seed: int = _setting(0, "seed of the deals, the network and the sampling")
    decisions: int = _setting(1_000_000, "decisions of the learner to train on")
    opponents: dict[str, float] = _setting(
        {"self": 1.0}, "shares of the deals against self (both seats learn), pool (past selves) and agents by name"
    )
    pool_size: int = _setting(8, "past selves in the pool: the newest checkpoints")
    hidden: list[int] = _setting([256, 256], "sizes of the hidden layers")
    num_envs: int = _setting(128, "deals stepped together")
    num_steps: int = _setting(52, "decisions of each row in a rollout")
    batch_size: int = _setting(512, "decisions in a gradient step")
    epochs: int = _setting(4, "passes over each rollout")
    learning_rate: float = _setting(1e-3, "Adam's step size at the start")
    learning_rate_end: float = _setting(1e-4, "... and at the end; it falls linearly")
    ent_coef: float = _setting(0.01, "weight of the entropy bonus at the start")
    ent_coef_end: float = _setting(0.001, "... and at the end; it falls linearly")
    gamma: float = _setting(1.0, "discount from a seat's decision to its next")
    gae_lambda: float = _setting(0.95, "lambda of generalised advantage estimation")
    clip: float = _setting(0.2, "PPO's clipping range")
    vf_coef: float = _setting(0.5, "weight of the value loss")
    max_grad_norm: float = _setting(0.5, "gradients are clipped to this norm")
    evaluate_every: int = _setting(250_000, "decisions between evaluations")
    evaluate_deals: int = _setting(500, "mirrored deals of each evaluation, the same every time")
    evaluate_against: list[str] = _setting(["random", "greedy", "heuristic"], "agents to be evaluated against")
    final_deals: int = _setting(2000, "mirrored deals of the evaluation at the end")
    checkpoint_every: int = _setting(250_000, "decisions between checkpoints")
    threads: int = _setting(1, "threads for the network: one is fastest for small ones, 0 for one a core")
    device: str = _setting("cpu", "torch device; small networks are fastest on cpu")

    def __post_init__(self) -> None:
        """Refuse values that cannot work."""
        from german_whist.envs.engine.scoring import check_reward  # loads the compiler, which --help does without

        if TRAINERS.get(self.trainer) is not type(self):
            raise unknown_name("trainer", self.trainer, [name for name, kind in TRAINERS.items() if kind is type(self)])
        rules(self.rules)
        check_reward(self.reward)
        if self.per_trick and self.reward != "margin":
            raise ValueError(f"per_trick: only the margin can be paid trick by trick; reward is {self.reward}")
        for key in ("decisions", "pool_size", "num_envs", "num_steps", "epochs"):
            self._check(key, 1, LARGEST)
        for key in ("evaluate_every", "evaluate_deals", "final_deals", "checkpoint_every"):
            self._check(key, 1, LARGEST)
        self._check("batch_size", 2, LARGEST)  # advantages are normalised over a batch
        rollout = self.num_envs * self.num_steps
        if rollout == 1 or rollout % min(self.batch_size, rollout) == 1:
            raise ValueError(
                f"batch_size: {self.batch_size} is not allowed: in a rollout of num_envs * num_steps = {rollout} decisions "
                "the last batch would hold a single one"
            )
        self._check("seed", 0, LARGEST_SEED)
        self._check("threads", 0, 1024)
        for key in ("learning_rate_end", "ent_coef", "ent_coef_end", "vf_coef"):
            self._check(key, 0)
        for key in ("learning_rate", "clip", "max_grad_norm"):
            self._check(key, 0, exclusive=True)
        for key in ("gamma", "gae_lambda"):
            self._check(key, 0, 1)
        _check_sizes("hidden", self.hidden)
        if not self.opponents or min(self.opponents.values()) <= 0:
            raise ValueError(f"opponents: {self.opponents} is not allowed: names with shares above 0")
        for name in self.opponents:
            if name not in OWN_OPPONENTS:
                self._check_agent("opponents", name, OWN_OPPONENTS)
        if not self.evaluate_against:
            raise ValueError("evaluate_against: [] is not allowed: at least one agent is needed")
        for name in self.evaluate_against:
            self._check_agent("evaluate_against", name, ())

    def _check(self, key: str, low: float, high: float = float("inf"), *, exclusive: bool = False) -> None:
        value = getattr(self, key)
        if not low <= value <= high or (exclusive and value == low):
            bounds = f"above {low}" if exclusive else f"from {low}" + (f" to {high}" if high < float("inf") else "")
            raise ValueError(f"{key}: {value} is not allowed: a number {bounds}")

    def _check_agent(self, key: str, name: str, also: tuple[str, ...]) -> None:
        if name.partition(":")[0].partition("+")[0] not in agent_names():
            raise unknown_name(f"agent in {key}", name, [*also, *agent_names()])
        from german_whist.agents.policy.agent import check_trained_for  # loads the compiler, which --help does without

        try:
            # A file that is missing, or a network for another game, shows now and not hours into the run.
            check_trained_for(make_agent(name), rules(self.rules))
        except ValueError as error:
            raise ValueError(f"{key}: {error}") from None

    def to_yaml(self) -> str:
        """Return the settings as YAML text that reads back to the same."""
        return yaml.safe_dump(self.to_dict(), sort_keys=False, allow_unicode=True)

    def to_dict(self) -> dict[str, Any]:
        """Return the settings that this trainer has."""
        return {key: value for key, value in dataclasses.asdict(self).items() if key not in self.WITHOUT}


@dataclass(frozen=True)
class PPOConfig(TrainConfig):
    """Everything that a run of ``trainer: ppo`` depends on. See each field's help for its meaning.

    Raises:
        ValueError: when a value is not allowed; the message names the key.
    """

    trainer: str = _setting("ppo", _WHO_LEARNS)
    num_envs: int = _setting(2048, "deals stepped together")
    batch_size: int = _setting(2048, "decisions in a gradient step")
    epochs: int = _setting(1, "passes over each rollout")
    learning_rate: float = _setting(2e-3, "step size at the start")
    gae_lambda: float = _setting(0.8, "lambda of generalised advantage estimation")
    endgame: str = _setting("played", "played, or solved: a deal ends with its foreplay, the rest counted exactly")
    critic_hidden: list[int] = _setting([128, 128], "sizes of the critic's hidden layers")
    critic_sees: str = _setting("all", "all: the opponent's hand and the stock too, in training only; or view")
    critic_warmup: int = _setting(0, "decisions at first from which only the critic learns, for a warm start")
    ranks: str = _setting("named", "of cards as the network sees them: named, or live: counted among the cards in play")
    init: str = _setting("", "agent in the box or checkpoint file that the run starts from, hidden sizes too")
    optimizer: str = _setting(ADAM, "adam, or muon: orthogonal steps of hidden layers' matrices")
    magnet: float = _setting(0.0, "weight of the divergence from the moving average of the policy")
    magnet_decay: float = _setting(0.999, "what the moving average keeps of itself in a gradient step")
    precision: str = _setting("auto", "of matrix products: float32, bfloat16, or auto, which asks the device")

    def __post_init__(self) -> None:
        """Refuse values that cannot work."""
        super().__post_init__()
        for key, allowed in (
            ("endgame", ("played", "solved")),
            ("critic_sees", ("all", "view")),
            ("ranks", ("named", "live")),
            ("optimizer", OPTIMIZERS),
            ("precision", ("auto", "float32", "bfloat16")),
        ):
            if getattr(self, key) not in allowed:
                raise unknown_name(key, getattr(self, key), allowed)
        self._check("critic_warmup", 0, LARGEST)
        self._check("magnet", 0)
        self._check("magnet_decay", 0, 1)
        _check_sizes("critic_hidden", self.critic_hidden)


@dataclass(frozen=True)
class PolicyIterationConfig(PPOConfig):
    """Everything that a run of ``trainer: policy_iteration`` depends on. See each field's help for its meaning.

    What only policy gradients need has no effect and is refused: see ``WITHOUT``.

    Raises:
        ValueError: when a value is not allowed; the message names the key.
    """

    WITHOUT: ClassVar[tuple[str, ...]] = (
        *("reward", "per_trick", "ent_coef", "ent_coef_end", "gamma", "gae_lambda", "clip", "vf_coef"),
        *("endgame", "critic_hidden", "critic_sees", "critic_warmup", "magnet", "magnet_decay"),
    )

    trainer: str = _setting("policy_iteration", _WHO_LEARNS)
    num_steps: int = _setting(26, "decisions of each row in a rollout: the foreplay of classic")
    batch_size: int = _setting(1024, "decisions in a gradient step")
    learning_rate_end: float = _setting(1e-5, "... and at the end; it falls linearly")
    lr_cooldown: int = _setting(0, "decisions at the end in which the step size falls on, linearly, to nothing")
    ranks: str = _setting("live", "of cards as the network sees them: named, or live: counted among the cards in play")
    phases: list[int] = _setting(
        [], "cards left in the stock from which on another network plays, falling; none: one plays always"
    )
    phases_start: int = _setting(0, "decisions from which each phase has a network of its own; before, they share one")
    late_phase_fraction: float = _setting(
        0.0, "share of the rows in which nothing is taught before the last of the phases"
    )
    value_hidden: list[int] = _setting([512, 256], "sizes of the value's hidden layers")
    value_start: int = _setting(
        500_000,
        "decisions from which the value judges what cards lead to; before, the heuristic bot plays on, and what a run "
        "starts from (init) stays as it is",
    )
    lookahead: int = _setting(1, "own decisions that a tried card leads to, on average of whose values it is judged")
    lookahead_start: int = _setting(0, "decisions from which there are so many; before, a tried card leads to one")
    stock_rotations: int = _setting(1, "orders of the unseen cards that each card is tried in, which takes out luck")
    value_lambda: float = _setting(0.9, "lambda of what the value learns: 0 is what it says next, 1 what play led to")
    ema_horizon: int = _setting(500_000, "decisions that the moving average of weights goes back; 0: no average")
    average_last_checkpoints: int = _setting(1, "last checkpoints whose mean weights are those of the final one")
    distill_hidden: int = _setting(0, "hidden units of a small network that learns what the learner says; 0: none")
    margin_tanh_scale: float = _setting(
        0.0, "tricks beyond which a margin hardly counts for more: tanh; 0 counts all alike"
    )
    endgame: str = _setting("solved", "the teacher's endgames always are")
    critic_sees: str = _setting("view", "there is no critic")

    def __post_init__(self) -> None:
        """Refuse values that cannot work."""
        super().__post_init__()
        check_phases(self.phases, "phases:")
        for key in ("value_start", "ema_horizon", "distill_hidden", "phases_start", "lookahead_start", "lr_cooldown"):
            self._check(key, 0, LARGEST)
        self._check("lookahead", 1, 52)
        self._check("stock_rotations", 1, 52)
        self._check("average_last_checkpoints", 1, LARGEST)
        for key in ("value_lambda", "late_phase_fraction"):
            self._check(key, 0, 1)
        _check_sizes("value_hidden", self.value_hidden)
        self._check("margin_tanh_scale", 0)


TRAINERS: dict[str, type[TrainConfig]] = {
    "sb3": TrainConfig,
    "ppo": PPOConfig,
    "policy_iteration": PolicyIterationConfig,
}
