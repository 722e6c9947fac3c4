"""``TextEnv``: the game in messages and answers, for language models."""

from __future__ import annotations

import math
from collections.abc import Mapping
from numbers import Real
from typing import Any, Final, Literal, get_args

from german_whist.agents.asking import play
from german_whist.agents.base import AgentLike
from german_whist.agents.judge import WORLDS, advise, judge_action, judge_of
from german_whist.envs.opponent import PlaysOpponent, Seat, check_seat, learner_seats
from german_whist.game.actions import action_text, actions_text
from german_whist.game.cards import cards_of
from german_whist.game.rules import Rules
from german_whist.game.rules import rules as get_rules
from german_whist.game.utils.checks import check_int
from german_whist.game.utils.names import unknown_name_error
from german_whist.simulator.episode import Episode
from german_whist.simulator.observation.views import Views
from german_whist.simulator.text.answers import read_action
from german_whist.simulator.text.deal_text import deal_text
from german_whist.simulator.text.events import action_events, first_events, result_text
from german_whist.simulator.text.questions import decision_text, refusal, with_legal_actions
from german_whist.simulator.text.rules_text import rules_text
from german_whist.simulator.text.scene import YOU

Reward = Literal["win", "margin", "regret"]
WIN: Final = "win"
MARGIN: Final = "margin"
REGRET: Final = "regret"
TRIES = 3  # so many answers in a row without a legal action lose the deal
OPPONENT = "Opponent"

_ANSWER = (
    "Cards are written suit, then rank: SA is the ace of spades, HT the ten of hearts. Think as long as you like, and "
    "end with the card or choice that you play, in brackets, as [SA]."
)
_LOST = f"{OPPONENT} wins: {YOU} forfeit the deal ({TRIES} answers in a row named no legal action)"

Step = tuple[str, float, bool, bool, dict[str, Any]]


class TextEnv(PlaysOpponent):
    """A single-agent environment in words, one deal per episode, for language models.

    Calls have the shape of Gymnasium's. Observations are messages and actions are answers in text. A message has the
    events since the last one and the choices; it names no card that the seat has not seen. If an answer contains no
    legal action, the next message says why and the reward is ``-illegal_penalty``. The third such answer in a row also
    loses the deal by the largest margin.

    Rewards:

    * ``"win"``: 1.0, 0.5 for a draw or 0.0, at the end of the deal.
    * ``"margin"``: counted tricks, own minus the opponent's (negated in a low game), at the end of the deal.
    * ``"regret"``: after each action, minus the tricks that it gave away; 0.0 for a best action. If both hands are
      known, as in an endgame, this is exact. Otherwise the coach judges by a search from the seat's view. A deal
      lost by illegal answers costs as many tricks as the largest margin.

    Example:
        >>> env = german_whist.TextEnv(opponent="heuristic", reward="regret")
        >>> (message, info), terminated = env.reset(seed=0), False
        >>> while not terminated:
        ...     message, reward, terminated, truncated, info = env.step(model(message))

    Attributes:
        rules: the rules of the game.
        opponent: the agent that plays against the learner; it may be replaced between two steps.
        reward: the kind of reward.
        illegal_penalty: subtracted from the reward of each answer without a legal action.
        list_legal: whether messages list the legal actions.
        learner: the learner's seat in the current deal.
    """

    def __init__(
        self,
        rules: str | Rules = "classic",
        opponent: AgentLike = "heuristic",
        *,
        reward: Reward = WIN,
        seat: Seat = "alternate",
        worlds: int = WORLDS,
        illegal_penalty: float | None = None,
        list_legal: bool = True,
    ) -> None:
        """Create the environment; :meth:`reset` deals.

        Args:
            rules: a preset's name, optionally with settings, or ``Rules``.
            opponent: an agent's specification, an agent object, or shares, ``{"heuristic": 0.8, "random": 0.2}``.
            reward: ``"win"``, ``"margin"`` or ``"regret"``.
            seat: the learner's seat, 0, 1 or ``"alternate"``. The dealer alternates from deal to deal in any case, so
                playing the same deals in seats 0 and 1 makes them mirrored deals.
            worlds: with ``"regret"``, number of determinizations (possible worlds) in which the search tries each
                action.
            illegal_penalty: subtracted from the reward of each answer without a legal action. By default 0.0; with
                ``"regret"`` the largest margin plus 1.0, so that such an answer is worse than any legal action.
            list_legal: whether messages list the legal actions. Without the list, illegal answers show what a
                model makes of the rules; a refusal still names the suit to follow.

        Raises:
            ValueError: if an argument is not allowed.
        """
        if reward not in get_args(Reward):
            raise unknown_name_error("reward", reward, get_args(Reward))
        check_seat(seat)
        self.rules = get_rules(rules)
        self.opponent = opponent
        self.reward = reward
        self.seat = seat
        self.learner = 0
        self._worlds = check_int("worlds", worlds, 1)
        self._judge = judge_of(self.rules, worlds) if reward == REGRET else None
        self._episode = Episode(self.rules, history=True)
        if illegal_penalty is None:
            illegal_penalty = self._episode.reward_limit(MARGIN) + 1.0 if reward == REGRET else 0.0
        elif not (isinstance(illegal_penalty, Real) and 0 <= illegal_penalty < math.inf):
            raise ValueError(f"illegal_penalty must be a number >= 0, got {illegal_penalty!r}")
        self.illegal_penalty = float(illegal_penalty)
        self.list_legal = list_legal
        self._events: list[str] = []  # what the learner saw in the deal
        self._told = self._refused = 0
        self._is_lost = False  # set by too many answers without a legal action

    def reset(self, *, seed: int | None = None, options: Mapping[str, Any] | None = None) -> tuple[str, dict[str, Any]]:
        """Deal, and let the opponent play if it leads.

        Args:
            seed: starts with deal (seed, 0); later resets without a seed continue with (seed, 1), (seed, 2), …. If no
                seed was ever given, a random one is drawn.
            options: ``"deal"``: (seed, index) of the deal to play, from which later resets continue; ``"deck"``: the
                cards in dealing order, as text or numbers; ``"dealer"``: 0 or 1.

        Returns:
            The first message, which is :meth:`prompt`, and an info with the keys of :meth:`step`; its ``"stage"`` is
            that of the first decision.

        Raises:
            ValueError: if the seed or an option is not allowed (the current deal then continues), or the opponent
                chooses an illegal action.
        """
        self._episode.reset(seed, options)
        self.learner = learner_seats(self.seat, self._episode.number)
        self._is_ready = False
        self._refused, self._is_lost = 0, False
        self._events = list(first_events(self.rules, self._state, self._names))
        self._let_opponent_play()
        self._is_ready = True
        return self.prompt(), self._info(None, illegal=False)

    def step(self, answer: str) -> Step:
        """Play the action that an answer names, and let the opponent play until it is the learner's turn again.

        Steps after the end of the deal do nothing.

        Args:
            answer: any text; *Test or train a language model* in the documentation lists the forms.

        Returns:
            The next message, the reward, terminated (whether the deal is over), truncated (always false), and the info:
            ``"action"``, the action that was read, such as ``"SA"``, or ``None`` if it was unclear; ``"illegal"``,
            whether the answer had no legal action; ``"stage"``, ``"foreplay"`` or ``"endgame"``, of the decision; when
            the deal is over, ``"margin"``.

        Raises:
            ValueError: if the answer is not text, or the opponent chooses an illegal action.
            ResetNeeded: before the first reset, and after an exception of the opponent.
        """
        if not isinstance(answer, str):
            raise ValueError(f"answer must be text, got {answer!r}")
        self._check_ready("step")
        if self._is_over:
            return "The deal is over.", 0.0, True, False, {**self._info(None, illegal=False), "margin": self._margin()}
        view = self._view[0]
        try:
            action = read_action(answer, int(view["legal"]), self.rules)
        except ValueError as unclear:
            return self._refuse(f"{unclear} {self._choices()}", self._info(None, illegal=True))
        reason = refusal(view, self.rules, int(self._state["decision"]), action)
        info = self._info(action, illegal=reason is not None)
        if reason is not None:
            return self._refuse(with_legal_actions(reason, view, self.rules) if self.list_legal else reason, info)
        self._refused = 0
        reward = 0.0 if self.reward != REGRET else 0.0 - self._given_away(action)
        self._is_ready = False
        before = self._state
        self._episode.play(action)
        self._note(before)
        self._let_opponent_play()
        self._is_ready = True
        terminated = self._is_over
        if terminated:
            info["margin"] = self._margin()
            reward += self._result()
        return self._news(), reward, terminated, False, info

    def prompt(self) -> str:
        """Return a complete message: the rules, everything that the learner saw, and its choices.

        Raises:
            ResetNeeded: as :meth:`step` does.
        """
        self._check_ready("prompt")
        self._told = len(self._events)
        you = f"You play against one opponent. {_ANSWER}"
        question = [] if self._is_over else [self._question()]
        return "\n\n".join([rules_text(self.rules), you, " ".join(self._events), *question])

    @property
    def legal(self) -> list[str]:
        """The learner's legal actions as text, such as ``["SA", "S9"]``; empty when the deal is over."""
        self._check_ready("legal")
        return [] if self._is_over else [action_text(one, self.rules) for one in cards_of(self._episode.legal)]

    @property
    def view(self) -> Views:
        """The learner's view, for agents: a ``VIEW`` array of shape (1,)."""
        self._check_ready("view")
        return self._view

    @property
    def _view(self) -> Views:
        views: Views = self._episode.batch.views([0], [self.learner])
        return views

    @property
    def _is_over(self) -> bool:
        return self._episode.is_over

    @property
    def _state(self) -> Any:
        """A copy of the state."""
        return self._episode.batch.states[0].copy()

    @property
    def _names(self) -> tuple[str, str]:
        return (YOU, OPPONENT) if self.learner == 0 else (OPPONENT, YOU)

    def _note(self, before: Any) -> None:
        """Add the events of the last action, and the result if the deal is over."""
        after, action = self._state, self._episode.actions[-1]
        self._events += action_events(self.rules, before, after, action, self.learner, self._names)
        if after["done"]:
            margin, low = self._episode.returns(MARGIN)[0], bool(after["low"])
            self._events.append(f"{result_text(after['tricks'], margin, self.rules, self._names, low=low)}.")

    def _let_opponent_play(self) -> None:
        before = self._state
        for _ in play(self._episode, (None, self.opponent), self.learner):
            self._note(before)
            before = self._state

    def _info(self, action: int | None, *, illegal: bool) -> dict[str, Any]:
        text = None if action is None else action_text(action, self.rules)
        return {"action": text, "illegal": illegal, "stage": "foreplay" if self._view[0]["stock"] else "endgame"}

    def _refuse(self, reason: str, info: dict[str, Any]) -> Step:
        self._refused += 1
        if self._refused < TRIES:
            message = f"{reason} (Such answers in a row: {self._refused}; {TRIES} lose the deal.)"
            return message, 0.0 - self.illegal_penalty, False, False, info
        self._episode.end()
        self._is_lost = True
        self._events.append(f"{_LOST}.")
        info["margin"] = self._margin()
        reward = float(info["margin"]) if self.reward == REGRET else self._result()
        return self._news(), reward - self.illegal_penalty, True, False, info

    def _given_away(self, action: int) -> float:
        """Return how many tricks an action of the learner gives away."""
        (advice,) = advise(self._episode.decisions(), self._worlds, judge=self._judge)
        return judge_action(advice, action).tricks

    def _margin(self) -> int:
        if self._is_lost:
            return -int(self._episode.reward_limit(MARGIN))
        return int(self._episode.returns(MARGIN)[self.learner])

    def _result(self) -> float:
        """Return the reward at the end of the deal."""
        margin = self._margin()
        return {WIN: ((margin > 0) - (margin < 0) + 1) / 2, MARGIN: float(margin), REGRET: 0.0}[self.reward]

    def _news(self) -> str:
        """Return what happened since the last message, and the next question."""
        news, self._told = " ".join(self._events[self._told :]), len(self._events)
        return news if self._is_over else f"{news}\n\n{self._question()}"

    def _question(self) -> str:
        table = deal_text(self._episode.batch, seat=self.learner, unicode=False, names=self._names)
        return f"{table}\n\n{self._choices()}"

    def _choices(self) -> str:
        kind = int(self._state["decision"])
        sentence = decision_text(self._view[0], self.rules, kind, tell_suit=self.list_legal)
        if not self.list_legal:
            return sentence
        return f"{sentence} You may choose: {actions_text(self._episode.legal, self.rules)}."
