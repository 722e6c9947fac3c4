"""``process:COMMAND``: the agent that asks a bot in a process of its own, written in any language."""

from __future__ import annotations

import shlex
import threading
from typing import Any

import numpy as np

from german_whist.agents.process.bot_process import BotError, BotProcess
from german_whist.agents.process.messages import action_of, check_id, check_ready, decode, encode, hello, request
from german_whist.envs.agent import Actions, Agent, AgentForfeit, Views
from german_whist.envs.observation.views import check_view_array
from german_whist.envs.utils.specs import must_be, short_repr

DEFAULT_SECONDS = 5.0
START_SECONDS = 20.0
MAX_FAILURES = 3  # processes that may fail in a match before every further deal is lost without asking


class ProcessAgent(Agent):
    """An agent that asks a bot's process by the line protocol, for one action at a time, in the order of the views.

    The process starts at the first decision. A late, illegal or unreadable reply loses the deal, and so does a crash
    (see ``AgentForfeit``). Except after an illegal action, the process is then ended, and a new one is started for the
    next deal. After ``MAX_FAILURES`` such failures in a match, every further deal of the match is lost (see
    ``for_match``).

    Attributes:
        name: the specification string.
        command: the program and its arguments.
        seconds: time limit of each action.
    """

    def __init__(self, command: list[str], seconds: float = DEFAULT_SECONDS) -> None:
        """Keep the command; the process starts later.

        Args:
            command: the program and its arguments; no shell is involved.
            seconds: time limit of each action.

        Raises:
            ValueError: if there is no command, or the time limit is not positive.
        """
        if not command:
            raise ValueError("agent 'process' needs a command: process:[time=SECONDS,]COMMAND")
        if not 0 < seconds < float("inf"):
            raise ValueError(must_be("agent 'process': time", "a positive number of seconds", seconds))
        self.command, self.seconds = command, float(seconds)
        limit = "" if seconds == DEFAULT_SECONDS else f"time={seconds:g},"
        self.name = f"process:{limit}{shlex.join(command)}"
        self._program = _Program(command)
        self._failures, self._last = 0, ""

    @classmethod
    def from_spec(cls, settings: str) -> ProcessAgent:
        """Make the agent from the part of its specification after the colon, ``[time=SECONDS,]COMMAND``.

        Raises:
            ValueError: if there is no command, its quotes do not match, or the time limit is wrong.
        """
        seconds, command = DEFAULT_SECONDS, settings
        if settings.startswith("time="):
            limit, _, command = settings.removeprefix("time=").partition(",")
            try:
                seconds = float(limit)
            except ValueError:
                raise ValueError(must_be("agent 'process': time", "a number of seconds", limit)) from None
        try:
            return cls(shlex.split(command), seconds)
        except ValueError as error:
            raise ValueError(f"{error} in {short_repr(command)}" if "quotation" in str(error) else str(error)) from None

    def __getstate__(self) -> dict[str, Any]:
        """Return what another process needs to start the bot again."""
        return {"command": self.command, "seconds": self.seconds}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Begin without a process."""
        ProcessAgent.__init__(self, **state)

    def for_match(self) -> ProcessAgent:
        """Return the agent for a new match or session: with the same process, and no failures counted so far."""
        agent = ProcessAgent(self.command, self.seconds)
        agent._program = self._program
        return agent

    def act(self, views: Views, rng: Any = None) -> Actions:
        """Return one action per view, int64[n].

        Args:
            views: ``VIEW`` array of shape (n,).
            rng: draws the seed that the bot gets with each view; without ``rng`` the seed is 0.

        Raises:
            AgentForfeit: when the bot did not choose a legal action in time in some views; it names them.
            ValueError: if the bot cannot be started.
        """
        check_view_array(views)
        seeds = np.zeros(len(views), np.int64) if rng is None else rng.integers(0, 2**31, len(views))
        actions = np.zeros(len(views), np.int64)
        lost: dict[int, str] = {}
        with self._program.lock:
            for row, (view, seed) in enumerate(zip(views, seeds.tolist(), strict=True)):
                try:
                    actions[row] = self._choose(view, seed)
                except BotError as failure:
                    lost[row] = str(failure)
        if lost:
            raise AgentForfeit(lost, actions)
        return actions

    def start(self) -> None:
        """Start the bot now, unless it is running.

        Raises:
            ValueError: if it cannot be started.
        """
        with self._program.lock:
            try:
                self._program.start()
            except ValueError as error:
                raise ValueError(f"agent {self.name!r}: {error}") from None

    def close(self) -> None:
        """End the process; the next decision starts a new one."""
        self._program.close()

    def _choose(self, view: Any, seed: int) -> int:
        program = self._program
        if self._failures >= MAX_FAILURES:
            raise BotError(f"not asked after {MAX_FAILURES} failures, the last: {self._last}")
        try:
            reply = program.ask(view, seed, self.seconds)
        except (BotError, ValueError) as error:
            program.close()
            if not program.has_started:
                raise ValueError(f"agent {self.name!r}: {error}") from None
            self._failures += 1
            self._last = str(error)
            raise BotError(str(error)) from None
        try:
            return action_of(reply, view)
        except ValueError as error:
            raise BotError(str(error)) from None


class _Program:
    """A bot's program, of which at most one process runs.

    Attributes:
        lock: must be held to call ``start`` or ``ask``, because the bot answers one request at a time.
        has_started: whether a process has ever been ready.
    """

    def __init__(self, command: list[str]) -> None:
        self.lock = threading.Lock()
        self.has_started = False
        self._command = command
        self._process: BotProcess | None = None
        self._requests = 0

    def start(self) -> BotProcess:
        """Return the running process; start one, and wait until it is ready, if there is none.

        Raises:
            ValueError: if it cannot be started, or does not get ready in time.
        """
        if self._process is not None:
            return self._process
        process = BotProcess(self._command)
        try:
            check_ready(decode(process.ask(encode(hello()), START_SECONDS)))
        except (BotError, ValueError) as error:
            process.end()
            raise ValueError(f"no start: {error}") from None
        self._process, self.has_started = process, True
        return process

    def ask(self, view: Any, seed: int, seconds: float) -> dict[str, Any]:
        """Return the reply to a view.

        Raises:
            BotError: if no reply comes in time.
            ValueError: if the program cannot be started, or the reply is not a reply to this request.
        """
        process = self.start()
        self._requests += 1
        answer = process.ask(encode(request(self._requests, view, seed)), seconds)
        return check_id(decode(answer), self._requests)

    def close(self) -> None:
        """End the process, if one is running."""
        if self._process is not None:
            self._process.end()
            self._process = None
