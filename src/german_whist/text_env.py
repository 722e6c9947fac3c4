"""The environment of messages: a language model, or anybody who reads and writes, against any agent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium.error import ResetNeeded

from german_whist.agents.registry import AgentLike, make_agent
from german_whist.envs.agent import Views, ask
from german_whist.envs.engine.actions import action_text, actions_text
from german_whist.envs.engine.agent_rng import AgentRng
from german_whist.envs.engine.cards import cards_of
from german_whist.envs.engine.rules import Rules
from german_whist.envs.engine.rules import rules as rules_named
from german_whist.envs.simulator.batch import DealBatch
from german_whist.envs.simulator.reset_options import DealSequence, read_options
from german_whist.envs.text.answers import read_action
from german_whist.envs.text.deal_text import deal_text
from german_whist.envs.text.rules_text import rules_text
from german_whist.envs.text.scene import YOU
from german_whist.envs.turns import check_seat, learner_seats
from german_whist.envs.utils.checks import whole_number
from german_whist.envs.utils.specs import must_be, unknown_name_error
from german_whist.session.coach.advice import WORLDS, advise, judge_of
from german_whist.session.coach.judgement import judge
from german_whist.session.deal.events import Event, deal_events
from german_whist.session.deal.position import decision_text, refusal_with_choices, stage_of
from german_whist.session.deal.table_deal import TableDeal

WIN, MARGIN, REGRET = REWARDS = ("win", "margin", "regret")
TRIES = 3  # answers in a row without a legal action that lose the deal
OPPONENT = "Opponent"

_ANSWER = (
    "Cards are written suit, then rank: SA is the ace of spades, HT the ten of hearts. Think as long as you like, and "
    "end with the card or choice that you play, in brackets, as [SA]."
)
_LOST = f"{TRIES} answers in a row named no legal action"

_FIRST_ROW = np.zeros(1, np.int64)

Step = tuple[str, float, bool, dict[str, Any]]


class TextEnv:
    """A single-agent environment of messages, one deal an episode.

    A message says what the seat saw since the last one, and what it has to choose; it tells no card that the seat has
    not seen. An answer without a legal action is answered with the reason and pays nothing, and the third in a row
    loses the deal by the largest margin.

    Rewards:

    * ``"win"``: 1.0, 0.5 for a draw or 0.0, at the end of the deal.
    * ``"margin"``: counted tricks, one's own minus the opponent's (negated in a low game), at the end.
    * ``"regret"``: after each action, minus the tricks that it gave away; 0.0 for the best. Where both hands are known,
      as in an endgame, this is exact. Elsewhere it is the coach's judgement, a search from what the seat knows. A
      deal lost by illegal answers costs as many tricks as the largest margin.

    Example:
        >>> env = german_whist.TextEnv(opponent="heuristic", reward="regret")
        >>> message, done = env.reset(seed=0), False
        >>> while not done:
        ...     message, reward, done, info = env.step(model(message))

    Attributes:
        rules: the rules of the game.
        opponent: the agent that plays against the learner.
        reward: the kind of reward.
        learner: the learner's seat in the current deal.
    """

    def __init__(
        self,
        rules: str | Rules = "classic",
        opponent: AgentLike = "heuristic",
        reward: str = WIN,
        seat: int | str = "alternate",
        worlds: int = WORLDS,
    ) -> None:
        """Create the environment; :meth:`reset` deals.

        Args:
            rules: a preset's name, with settings if wanted, or ``Rules``.
            opponent: an agent's specification or an agent object.
            reward: ``"win"``, ``"margin"`` or ``"regret"``.
            seat: the learner's seat, 0, 1 or ``"alternate"``. The dealer alternates from deal to deal in any case, so
                seats 0 and 1 of the same deals are mirrored deals.
            worlds: number of possible worlds in which a search tries each action, with ``"regret"``.

        Raises:
            ValueError: if an argument is not allowed.
        """
        if reward not in REWARDS:
            raise unknown_name_error("reward", reward, REWARDS)
        check_seat(seat)
        self.rules = rules_named(rules)
        self.opponent = make_agent(opponent, self.rules)
        self.reward = reward
        self.seat = seat
        self.learner = 0
        self._worlds = whole_number("worlds", worlds, 1)
        self._judge = judge_of(self.rules, worlds) if reward == REGRET else None
        self._sequence = DealSequence()
        self._deal: TableDeal | None = None
        self._told = self._refused = 0

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> str:
        """Deal, let the opponent play if it leads, and return the first message, which is :meth:`prompt`.

        Args:
            seed: starts with deal (seed, 0); later resets without a seed continue with (seed, 1), (seed, 2), …. If no
                seed was ever given, one is drawn.
            options: ``"deal"``: (seed, index) of the deal to play, from which later resets continue; ``"deck"``: the
                cards in dealing order, as text or numbers; ``"dealer"``: 0 or 1.

        Raises:
            ValueError: if the seed or an option is not allowed (then the current deal continues), or the opponent
                chooses no legal action.
        """
        chosen = read_options(options, self.rules.cards)
        start, index = self._sequence.advance(seed, chosen.deal)
        deal = TableDeal.of(DealBatch(self.rules, 1, start, index))
        if chosen.deck is not None or chosen.dealer is not None:
            deal = TableDeal(self.rules, chosen.deck or deal.deck, chosen.dealer or 0)
        self._deal, self._refused = deal, 0
        self.learner = int(learner_seats(self.seat, np.array([index], np.uint64))[0])
        self._let_opponent_play()
        return self.prompt()

    def step(self, answer: str) -> Step:
        """Play the action that an answer names, and let the opponent play until it is the learner's turn again.

        After the end of the deal nothing happens until :meth:`reset`.

        Args:
            answer: any text; *Test or train a language model* in the documentation lists the forms.

        Returns:
            The next message, the reward, whether the deal is over, and the info: ``"action"``, what was read, as
            ``"SA"``, or ``None`` if that was unclear; ``"illegal"``, whether that was not legal; ``"stage"``,
            ``"foreplay"`` or ``"endgame"``, of the decision; when the deal is over, ``"margin"``.

        Raises:
            ValueError: if the answer is no text, or the opponent chooses no legal action.
            ResetNeeded: before the first reset.
        """
        if not isinstance(answer, str):
            raise ValueError(must_be("answer", "text", answer))
        deal = self._started()
        if deal.done:
            return "The deal is over.", 0.0, True, {**self._info(None, illegal=False), "margin": self._margin()}
        try:
            action = read_action(answer, deal.legal, self.rules)
        except ValueError as unclear:
            return self._refuse(f"{unclear} {self._choices()}", self._info(None, illegal=True))
        reason = refusal_with_choices(deal, self.learner, action)
        info = self._info(action, illegal=reason is not None)
        if reason is not None:
            return self._refuse(reason, info)
        self._refused = 0
        reward = 0.0 if self.reward != REGRET else 0.0 - self._given_away(action)
        deal.play(action)
        self._let_opponent_play()
        if deal.done:
            info["margin"] = self._margin()
            reward += self._result()
        return self._news(), reward, deal.done, info

    def prompt(self) -> str:
        """Return a message that needs none before it: the rules, all that the learner saw, and what it has to choose.

        Raises:
            ResetNeeded: before the first reset.
        """
        deal = self._started()
        events = self._events()
        self._told = len(events)
        you = f"You play against one opponent. {_ANSWER}"
        return "\n\n".join([rules_text(self.rules), you, _told(events), *([] if deal.done else [self._question()])])

    @property
    def legal(self) -> list[str]:
        """What the learner may choose now, as ``["SA", "S9"]``; empty when the deal is over."""
        deal = self._started()
        return [] if deal.done else [action_text(action, self.rules) for action in cards_of(deal.legal)]

    @property
    def view(self) -> Views:
        """What the learner knows now, for agents: a ``VIEW`` array of shape (1,)."""
        return self._started().views(self.learner)

    def _started(self) -> TableDeal:
        if self._deal is None:
            raise ResetNeeded("reset has to be called first")
        return self._deal

    def _let_opponent_play(self) -> None:
        deal, seed = self._started(), self._sequence.seed
        assert seed is not None  # reset has set it
        while not deal.done and deal.turn != self.learner:
            rng = AgentRng(seed, [self._sequence.first], step=len(deal.actions))
            deal.play(int(ask(self.opponent, deal.batch, _FIRST_ROW, rng)[0]))

    def _info(self, action: int | None, *, illegal: bool) -> dict[str, Any]:
        text = None if action is None else action_text(action, self.rules)
        return {"action": text, "illegal": illegal, "stage": stage_of(self.view[0])}

    def _refuse(self, reason: str, info: dict[str, Any]) -> Step:
        deal = self._started()
        self._refused += 1
        if self._refused == TRIES:
            deal.lose(self.learner, _LOST)
            info["margin"] = self._margin()
            return self._news(), float(info["margin"]) if self.reward == REGRET else self._result(), True, info
        return f"{reason} ({self._refused} of {TRIES} such answers in a row lose the deal.)", 0.0, False, info

    def _given_away(self, action: int) -> float:
        """Return how many tricks an action of the learner gives away."""
        histories = self._started().batch.history(seats=[self.learner])
        return judge(advise(self.view, self.rules, self._worlds, 0, histories, self._judge)[0], action).tricks

    def _margin(self) -> int:
        return self._started().result().margin * (1 if self.learner == 0 else -1)

    def _result(self) -> float:
        """Return what the finished deal pays at its end."""
        margin = self._margin()
        return {WIN: ((margin > 0) - (margin < 0) + 1) / 2, MARGIN: float(margin), REGRET: 0.0}[self.reward]

    def _events(self) -> list[Event]:
        names = (YOU, OPPONENT) if self.learner == 0 else (OPPONENT, YOU)
        return deal_events(self._started(), self.learner, names)

    def _news(self) -> str:
        """Return what happened since the last message, and what is to be chosen next."""
        events = self._events()
        news, self._told = _told(events[self._told :]), len(events)
        return news if self._started().done else f"{news}\n\n{self._question()}"

    def _question(self) -> str:
        names = (YOU, OPPONENT) if self.learner == 0 else (OPPONENT, YOU)
        table = deal_text(self._started().batch, seat=self.learner, unicode=False, names=names)
        return f"{table}\n\n{self._choices()}"

    def _choices(self) -> str:
        deal = self._started()
        return f"{decision_text(deal, self.view[0])} You may choose: {actions_text(deal.legal, self.rules)}."


def _told(events: list[Event]) -> str:
    return " ".join(event.text for event in events)
