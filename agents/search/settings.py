"""The settings of a search, and how they are read from a specification string."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from german_whist.envs.utils.checks import MAX_THREADS, whole_number
from german_whist.envs.utils.specs import shown, unknown_name

MAX_WORLDS = 100_000
MOST_CANDIDATES = 768  # by default

SELF, SMALL, HEURISTIC = "self", "small", "heuristic"
ROLLOUTS = (SELF, SMALL, HEURISTIC)
SETTINGS = ("search", "candidates", "rollout", "prior_sd", "win_weight", "tricks", "threads")
_TRICKS = ("prior_sd", "win_weight")  # in tricks; the other numbers are whole
_NETWORK_SD, _BOT_SD = 0.3, 0.5  # prior_sd by default


@dataclasses.dataclass(frozen=True)
class SearchSettings:
    """How a search evaluates actions.

    Attributes:
        worlds: worlds in which actions are tried.
        candidates: deals sampled before weighting, at first; 0 for 6 × ``worlds``, but at most 768 and at least
            2 × ``worlds``.
        rollout: the policy of the rollouts and of the opponent model: ``"small"``, ``"heuristic"`` or ``"self"``;
            empty for ``"small"`` in its game, else ``"self"`` if its layers are plain, else ``"small"``.
        prior_sd: standard deviation of the error of the policy's advantages, in tricks: the larger, the more the search
            decides; 0 for 0.3 where the policy is a network, else 0.5.
        tricks: only the last so many tricks of the foreplay are searched; 0 for all.
        threads: number of threads; 0 for all CPU cores.
        temperature: of the opponent model's softmax, in tricks.
        mistakes: how often the modelled network plays any legal card instead.
        heuristic_mistakes: likewise for the modelled heuristic bot.
        model_prior: probabilities of the opponent models network, heuristic bot, uniform.
        min_size: weights are tempered to keep this effective sample size, as a share of the candidates. Below twice
            that, more candidates are sampled, up to 4 times as many.
        tanh_scale: margins beyond this many tricks count less, see ``choice_kernels.utility``; 0 for plain tricks.
        win_weight: tricks that a win adds and a loss costs: the larger, the more the search plays for the win instead
            of the margin.
        certain: an action whose advantage is this many tricks below the best is not tried.
        deviations: an action is dropped early if its gain is this many standard deviations below the best.
    """

    worlds: int = 64
    candidates: int = 0
    rollout: str = ""
    prior_sd: float = 0.0
    tricks: int = 0
    threads: int = 0
    temperature: float = 0.1
    mistakes: float = 0.1
    heuristic_mistakes: float = 0.3
    model_prior: tuple[float, float, float] = (0.7, 0.2, 0.1)
    min_size: float = 1 / 12
    tanh_scale: float = 4.0
    win_weight: float = 4.0
    certain: float = 0.8
    deviations: float = 1.5

    def __post_init__(self) -> None:
        """Check the settings.

        Raises:
            ValueError: when a number is not allowed.
        """
        whole_number("search", self.worlds, 1, MAX_WORLDS)
        whole_number("candidates", self.candidates, 0, MAX_WORLDS)
        whole_number("tricks", self.tricks, 0)
        whole_number("threads", self.threads, 0, MAX_THREADS)
        if self.rollout and self.rollout not in ROLLOUTS:
            raise unknown_name("rollout", self.rollout, ROLLOUTS)
        if not 0 <= self.prior_sd < float("inf"):
            raise ValueError(f"prior_sd {self.prior_sd} is not allowed: a number of tricks, at least 0")
        if not 0 <= self.win_weight < float("inf"):
            raise ValueError(f"win_weight {self.win_weight} is not allowed: a number of tricks, at least 0")

    def for_policy(self, is_network: bool) -> SearchSettings:
        """Return the settings with the ``prior_sd`` of the policy, a network or a bot, unless one was set."""
        return dataclasses.replace(self, prior_sd=self.prior_sd or (_NETWORK_SD if is_network else _BOT_SD))

    @property
    def usual_sd(self) -> float:
        """Usual standard deviation of the difference of two actions in one world, in tricks."""
        return 2.0 + self.win_weight / 4

    @property
    def num_candidates(self) -> int:
        """Number of sampled deals, at least the number of worlds."""
        by_default = max(min(6 * self.worlds, MOST_CANDIDATES), 2 * self.worlds)
        return max(self.worlds, self.candidates or by_default)

    @property
    def least_size(self) -> float:
        """The effective sample size that weights keep."""
        return self.min_size * self.num_candidates


def settings_from(given: Mapping[str, str]) -> SearchSettings:
    """Return the settings of a specification string, by key.

    Raises:
        ValueError: when a value is wrong.
    """
    fields: dict[str, object] = {}
    for key, value in given.items():
        if key == "rollout":
            fields[key] = value
            continue
        try:
            fields["worlds" if key == "search" else key] = float(value) if key in _TRICKS else int(value)
        except ValueError:
            raise ValueError(f"{key} {shown(value)} is not a{'' if key in _TRICKS else ' whole'} number") from None
    return SearchSettings(**fields)  # type: ignore[arg-type]
