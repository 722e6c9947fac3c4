"""The settings that say which game, or games, a run learns."""

from __future__ import annotations

from dataclasses import dataclass, replace

from german_whist.envs.engine.endgame_hook import EXACT, PLAYED
from german_whist.envs.engine.rules import rule_names, rules
from german_whist.envs.utils.specs import shown
from german_whist.training.config.fields import check_choice, setting

EVERY = "every"


@dataclass(frozen=True)
class GameSettings:
    """The game to learn."""

    rules: str = setting("classic", "the game: a preset, or a preset with settings as classic:hand=10,stock=32")

    def __post_init__(self) -> None:
        """Refuse values that cannot work."""
        rules(self.rules)

    @property
    def shares(self) -> dict[str, float]:
        """The games that are learned, and their shares of the environments; the sum is 1."""
        return {self.rules: 1.0}

    @property
    def title(self) -> str:
        """The game's specification, or how many games there are."""
        return next(iter(self.shares)) if len(self.shares) == 1 else f"{len(self.shares)} games"


@dataclass(frozen=True)
class GamesSettings(GameSettings):
    """One game to learn, or several with one network."""

    games: dict[str, float] = setting(
        {},
        "several games for one network instead of rules, with shares of the environments, as {classic: 2, small: 1}; "
        "every stands for all presets with an open endgame, by the length of their foreplay",
    )

    def __post_init__(self) -> None:
        """Refuse values that cannot work."""
        super().__post_init__()
        if self.games and min(self.games.values()) <= 0:
            raise ValueError(f"games: {self.games} is not allowed: games with shares above 0")
        for game in self.games:
            if game != EVERY and rules(game).humbug:
                raise ValueError(f"games: {shown(game)} is not allowed: its endgame is not open")

    @property
    def shares(self) -> dict[str, float]:
        """The games that are learned, and their shares of the environments; the sum is 1."""
        if not self.games:
            return super().shares
        weights: dict[str, float] = {}
        for game, weight in self.games.items():
            parts = every_game() if game == EVERY else {game: 1.0}
            for name, part in parts.items():
                weights[name] = weights.get(name, 0.0) + weight * part
        total = sum(weights.values())
        return {name: weight / total for name, weight in weights.items()}


def every_game() -> dict[str, float]:
    """Return the presets with an open endgame, without those that differ in scoring alone, and their shares.

    A share is proportional to the length of the foreplay, twice that where deals are played high or low.
    """
    weights: dict[str, float] = {}
    seen = set()
    for name in rule_names():
        game = rules(name)
        plays = replace(game, points="difference", book=None, slam=0)
        if not game.humbug and plays not in seen:
            seen.add(plays)
            weights[name] = float(game.stock * (1 + game.high_low))
    total = sum(weights.values())
    return {name: weight / total for name, weight in weights.items()}


@dataclass(frozen=True)
class RewardedGameSettings(GameSettings):
    """The game and its rewards."""

    reward: str = setting("margin", "margin, win or points; scaled so that the largest is 1")
    per_trick: bool = setting(True, "pay the margin trick by trick; the sum stays the same")

    def __post_init__(self) -> None:
        """Refuse values that cannot work."""
        from german_whist.envs.engine.scoring import check_reward  # loads the compiler, which --help does without

        super().__post_init__()
        check_reward(self.reward)
        if self.per_trick and self.reward != "margin":
            raise ValueError(f"per_trick: only the margin can be paid trick by trick; reward is {self.reward}")


@dataclass(frozen=True)
class PPOGameSettings(RewardedGameSettings):
    """The game, its rewards, and how its endgames are played."""

    endgame: str = setting(
        PLAYED, "played, or exact: deals end after the foreplay and pay the exact value of their endgame"
    )

    def __post_init__(self) -> None:
        """Refuse values that cannot work."""
        super().__post_init__()
        check_choice(self, "endgame", PLAYED, EXACT)
