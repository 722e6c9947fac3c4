"""What a training run returns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from german_whist.agents.base import Agent
from german_whist.agents.policy.checkpoint import read_model_card
from german_whist.agents.registry import make_agent, module_spec
from german_whist.evaluation.match import MatchResult, game_title, results_table
from german_whist.evaluation.report import Report, Table
from german_whist.game.rules import rules_from_dict
from german_whist.training.run.directory import RunDirectory


@dataclass(frozen=True, repr=False)
class TrainingOutcome(Report):
    """The outcome of :func:`german_whist.train`.

    Attributes:
        run: the run's folder.
        decisions: decisions trained on so far.
        results: the final evaluation, a match against each opponent; empty if the run was interrupted.
    """

    run: RunDirectory
    decisions: int
    results: tuple[MatchResult, ...]

    def report(self) -> Sequence[Table | str]:
        """Return a table with a row for each opponent, and the paths of the main files."""
        if self.interrupted:
            return [f"stopped after {self.decisions:,} decisions; the run's folder: {self.run.given}"]
        titles = {game_title(result.rules, result.endgame) for result in self.results}
        title = titles.pop() if len(titles) == 1 else f"German Whist, {len(titles)} games"
        return [
            results_table(self.results, f"{title}, after {self.decisions:,} decisions of training"),
            f"learning curve:  {self.run.given / self.run.curve.name}",
            f"checkpoint:      {self.run.given / self.run.final.name}",
        ]

    @property
    def path(self) -> Path:
        """The run's folder."""
        return self.run.path

    @property
    def agent(self) -> Agent:
        """The trained network as an agent; if the run was stopped, that of its newest checkpoint."""
        path = self.run.checkpoint_paths()[-1] if self.interrupted else self.run.final
        rules = rules_from_dict(read_model_card(path)["rules"])
        return make_agent(module_spec(self.run.path, path) or path, rules)

    @property
    def win_rates(self) -> dict[str, float]:
        """Win rate against each opponent of the final evaluation, by name; draws count half."""
        return {result.second: result.win_rate for result in self.results}

    @property
    def interrupted(self) -> bool:
        """Whether the run was stopped before its end, so that it can be resumed."""
        return not self.results


def finished_outcome(run: RunDirectory, decisions: int) -> TrainingOutcome | None:
    """Return the outcome of a run that has ended after at least this many decisions; ``None`` if it has not."""
    if not run.final.is_file():
        return None
    card = read_model_card(run.final)
    trained = card["training"]["decisions"]
    results = tuple(MatchResult.from_dict(result) for result in card["results"].values())
    return TrainingOutcome(run, trained, results) if trained >= decisions else None
