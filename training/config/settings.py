"""The settings of a run in slices, one for each part of the code, each of which refuses impossible values.

Every field is one setting: its name is the key in YAML and the option of the command line, so no two slices of a
trainer share a name. Names follow CleanRL where it has one. These are plain dataclasses, not pydantic or msgspec
models: an error is one line that names file, key and nearest valid name.
"""

from __future__ import annotations

from dataclasses import dataclass

from german_whist.agents.policy.checkpoint import NAMED, RANKS
from german_whist.agents.policy.network.layers import INPUTS, OBSERVATION
from german_whist.envs.utils.checks import MAX_THREADS
from german_whist.training.config.fields import LARGEST, check_choice, check_range, check_sizes, setting

ADAM, MUON = "adam", "muon"
DISTILLED, INIT, OPPONENT = "distilled", "init", "opponent"  # what plays on in lookaheads
LARGEST_SEED = 2**32 - 1  # the largest that numpy accepts


def _linear(start: float, end: float, left: float) -> float:
    return end + (start - end) * max(left, 0.0)


@dataclass(frozen=True)
class RunSettings:
    """How long a run is, what it is seeded with, and where it computes."""

    seed: int = setting(0, "seed of deals, network initialisation and sampling")
    decisions: int = setting(1_000_000, "decisions of the learner to train on")
    checkpoint_every: int = setting(250_000, "decisions between checkpoints")
    threads: int = setting(1, "CPU threads; 1 is fastest for small networks, 0 means one per core")
    device: str = setting("cpu", "torch device; small networks are fastest on cpu")

    def __post_init__(self) -> None:
        """Refuse values that cannot work."""
        check_range(self, "decisions checkpoint_every", 1, LARGEST)
        check_range(self, "seed", 0, LARGEST_SEED)
        check_range(self, "threads", 0, MAX_THREADS)


@dataclass(frozen=True)
class OwnRunSettings(RunSettings):
    """How our own trainers run."""

    processes: int = setting(1, "processes that train together; num_envs, batch_size and threads are of each")

    def __post_init__(self) -> None:
        """Refuse values that cannot work."""
        super().__post_init__()
        check_range(self, "processes", 1, MAX_THREADS)


@dataclass(frozen=True)
class RolloutSettings:
    """How experience is collected, and against whom."""

    opponents: dict[str, float] = setting(
        {"self": 1.0}, "shares of the deals against self (both seats learn), pool (past selves) and agents by name"
    )
    pool_size: int = setting(8, "past selves in the pool: the newest checkpoints")
    num_envs: int = setting(128, "deals stepped together")
    num_steps: int = setting(52, "decisions of each environment in a rollout")

    def __post_init__(self) -> None:
        """Refuse values that cannot work."""
        check_range(self, "pool_size num_envs num_steps", 1, LARGEST)
        if not self.opponents or min(self.opponents.values()) <= 0:
            raise ValueError(f"opponents: {self.opponents!s:.100} is not allowed: names with shares above 0")


@dataclass(frozen=True)
class NetworkSettings:
    """The policy network."""

    hidden: list[int] = setting([256, 256], "sizes of the hidden layers")

    def __post_init__(self) -> None:
        """Refuse values that cannot work."""
        check_sizes("hidden", self.hidden)


@dataclass(frozen=True)
class ActorSettings(NetworkSettings):
    """The policy network of our own trainers."""

    ranks: str = setting(NAMED, "ranks as the network sees them: named, or live (counted among the cards in play)")
    init: str = setting("", "pretrained agent or checkpoint file to start from; it also sets the sizes")
    precision: str = setting("auto", "type of matrix products: float32, bfloat16, or auto (bfloat16 if native)")

    def __post_init__(self) -> None:
        """Refuse values that cannot work."""
        super().__post_init__()
        check_choice(self, "ranks", *RANKS)
        check_choice(self, "precision", "auto", "float32", "bfloat16")


@dataclass(frozen=True)
class PhasedActorSettings(ActorSettings):
    """A policy with a network for each phase of the foreplay."""

    phases: list[int] = setting(
        [], "decreasing stock sizes from which the next network plays; empty: one network for the whole foreplay"
    )
    phases_start: int = setting(0, "decisions after which the phases' networks separate; until then they share one")
    inputs: str = setting(OBSERVATION, "what the network sees: observation, of one game, or universal, of any game")
    suit_layers: int = setting(
        0,
        "first hidden layers, and as many last ones, that each suit passes alone, with the same weights for all suits",
    )

    def __post_init__(self) -> None:
        """Refuse values that cannot work."""
        super().__post_init__()
        if self.phases:
            raise ValueError("phases: checkpoints hold one network for the whole foreplay: leave phases out")
        check_choice(self, "inputs", *INPUTS)
        check_range(self, "phases_start suit_layers", 0, LARGEST)
        if self.suit_layers and len(self.hidden) <= 2 * self.suit_layers:
            raise ValueError(
                f"hidden: {self.hidden} is too short for suit_layers: {self.suit_layers}: "
                f"at least {2 * self.suit_layers + 1} sizes, or suit_layers: 0"
            )


@dataclass(frozen=True)
class OptimizerSettings:
    """Gradient steps."""

    batch_size: int = setting(512, "decisions in a gradient step")
    epochs: int = setting(4, "passes over each rollout")
    learning_rate: float = setting(1e-3, "step size at the start")
    learning_rate_end: float = setting(1e-4, "step size at the end; it changes linearly")
    max_grad_norm: float = setting(0.5, "gradients are clipped to this norm")

    def __post_init__(self) -> None:
        """Refuse values that cannot work."""
        check_range(self, "epochs", 1, LARGEST)
        check_range(self, "batch_size", 2, LARGEST)  # advantages are normalised over a batch
        check_range(self, "learning_rate max_grad_norm", 0, exclusive=True)
        check_range(self, "learning_rate_end", 0)

    def learning_rate_at(self, left: float) -> float:
        """Return the step size for the share of the run that is left, 1 to 0."""
        return _linear(self.learning_rate, self.learning_rate_end, left)


@dataclass(frozen=True)
class OwnOptimizerSettings(OptimizerSettings):
    """Gradient steps of our own trainers."""

    optimizer: str = setting(ADAM, "adam, or muon: orthogonalised steps for the hidden layers' matrices")

    def __post_init__(self) -> None:
        """Refuse values that cannot work."""
        super().__post_init__()
        check_choice(self, "optimizer", ADAM, MUON)


@dataclass(frozen=True)
class AveragingOptimizerSettings(OwnOptimizerSettings):
    """Gradient steps, and the moving average of the weights."""

    lr_cooldown: int = setting(0, "decisions at the end over which the step size falls linearly to zero")
    ema_horizon: int = setting(500_000, "decisions that the moving average of the weights spans; 0: no average")

    def __post_init__(self) -> None:
        """Refuse values that cannot work."""
        super().__post_init__()
        check_range(self, "lr_cooldown ema_horizon", 0, LARGEST)


@dataclass(frozen=True)
class PPOLossSettings:
    """The loss of PPO (Schulman et al., arXiv 1707.06347)."""

    ent_coef: float = setting(0.01, "weight of the entropy bonus at the start")
    ent_coef_end: float = setting(0.001, "weight of the entropy bonus at the end; it changes linearly")
    gamma: float = setting(1.0, "discount from a seat's decision to its next")
    gae_lambda: float = setting(0.95, "lambda of generalised advantage estimation")
    clip_coef: float = setting(0.2, "PPO's clipping range")
    vf_coef: float = setting(0.5, "weight of the value loss")

    def __post_init__(self) -> None:
        """Refuse values that cannot work."""
        check_range(self, "ent_coef ent_coef_end vf_coef", 0)
        check_range(self, "clip_coef", 0, exclusive=True)
        check_range(self, "gamma gae_lambda", 0, 1)

    def ent_coef_at(self, left: float) -> float:
        """Return the weight of the entropy bonus for the share of the run that is left, 1 to 0."""
        return _linear(self.ent_coef, self.ent_coef_end, left)


@dataclass(frozen=True)
class PPOSettings(PPOLossSettings):
    """The loss of our own PPO, its critic, and its magnet policy."""

    critic_hidden: list[int] = setting([128, 128], "sizes of the critic's hidden layers")
    critic_sees: str = setting("all", "all: the opponent's hand and the stock too, in training only; or view")
    critic_warmup: int = setting(0, "decisions at the start that train the critic alone, for a warm start")
    magnet: float = setting(0.0, "weight of the KL divergence from the moving average of the policy")
    magnet_decay: float = setting(0.999, "decay of that moving average in a gradient step")

    def __post_init__(self) -> None:
        """Refuse values that cannot work."""
        super().__post_init__()
        check_sizes("critic_hidden", self.critic_hidden)
        check_choice(self, "critic_sees", "all", "view")
        check_range(self, "critic_warmup", 0, LARGEST)
        check_range(self, "magnet", 0)
        check_range(self, "magnet_decay", 0, 1)


@dataclass(frozen=True)
class PolicyIterationSettings:
    """Action-value targets, and the networks beside the policy."""

    value_hidden: list[int] = setting([512, 256], "sizes of the value network's hidden layers")
    value_start: int = setting(
        500_000,
        "decisions after which targets bootstrap from the value network; until then they come from rollouts of the "
        "heuristic bot or, if the run starts from a network (init), only its value and distilled networks learn",
    )
    value_lambda: float = setting(0.9, "lambda of the value's returns: 0 bootstraps at once, 1 waits for the outcome")
    lookahead: int = setting(1, "own decisions to follow each action for; its target is the mean of their values")
    lookahead_start: int = setting(0, "decisions after which lookahead applies; until then it is 1")
    stock_rotations: int = setting(1, "orders of the unseen cards to try each action in, to reduce variance")
    late_phase_fraction: float = setting(0.0, "share of the environments with targets in the last phase only")
    margin_tanh_scale: float = setting(0.0, "margins count as scale * tanh(margin / scale), in tricks; 0: as they are")
    average_last_checkpoints: int = setting(1, "number of last checkpoints whose mean weights are the final ones")
    value_deals: int = setting(
        16_384, "deals of self-play that the value network of the final checkpoint is fitted to; 0: no value network"
    )
    distill_hidden: int = setting(0, "hidden units of a small network distilled from the policy; 0: none")
    lookahead_policy: str = setting(
        "actor",
        "plays on in lookaheads: actor; distilled, which is faster and needs distill_hidden; or, for a best response: "
        "init, the network that the run starts from, or opponent, a network that learns the opponents' actions",
    )

    def __post_init__(self) -> None:
        """Refuse values that cannot work."""
        check_range(self, "value_start value_deals distill_hidden lookahead_start", 0, LARGEST)
        check_range(self, "lookahead stock_rotations", 1, 52)
        check_range(self, "average_last_checkpoints", 1, LARGEST)
        check_range(self, "value_lambda late_phase_fraction", 0, 1)
        check_range(self, "margin_tanh_scale", 0)
        check_sizes("value_hidden", self.value_hidden)
        check_choice(self, "lookahead_policy", "actor", DISTILLED, INIT, OPPONENT)
        if self.lookahead_policy == DISTILLED and not self.distill_hidden:
            raise ValueError("lookahead_policy: distilled needs distill_hidden, the size of that network")
        if self.lookahead_policy == OPPONENT and self.lookahead > 1:
            raise ValueError("lookahead_policy: opponent needs lookahead: 1, as it plays no decisions of the learner")


@dataclass(frozen=True)
class EvaluationSettings:
    """Matches that measure the policy."""

    evaluate_every: int = setting(250_000, "decisions between evaluations")
    evaluate_deals: int = setting(500, "mirrored deals of each evaluation, the same every time")
    evaluate_against: list[str] = setting(["random", "greedy", "heuristic"], "agents to be evaluated against")
    final_deals: int = setting(2000, "mirrored deals of the evaluation at the end")

    def __post_init__(self) -> None:
        """Refuse values that cannot work."""
        check_range(self, "evaluate_every evaluate_deals final_deals", 1, LARGEST)
        if not self.evaluate_against:
            raise ValueError("evaluate_against: [] is not allowed: at least one agent is needed")
