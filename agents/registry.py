"""The registry of agents by name: specification strings, such as ``heuristic+exact``, and ``make_agent``."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeVar, overload

from german_whist.envs.agent import Agent, AgentLike, SupportsAct, as_agent
from german_whist.envs.engine.endgame_hook import EXACT, check_endgame
from german_whist.envs.engine.rules import Rules
from german_whist.envs.engine.rules import rules as rules_named
from german_whist.envs.utils.specs import (
    MAX_SPEC,
    must_be,
    no_settings,
    quoted,
    read_settings,
    short_repr,
    split_items,
    split_spec,
    unknown_name_error,
    unquoted,
)

if TYPE_CHECKING:
    from german_whist.agents.endgame.exact_agent import ExactEndgame
    from german_whist.agents.policy.checkpoint import Checkpoint
    from german_whist.agents.search.settings import SearchSettings

AgentType = TypeVar("AgentType", bound=Agent)


class AgentKind(NamedTuple):
    """A kind of agent.

    Attributes:
        make: makes an agent from the settings (the part of the specification after the colon) and the rules of a game.
        usage: the grammar of the specification.
        description: what the agent does, in one line.
        runs_code: whether the specification names code that is run.
    """

    make: Callable[[str, Rules | None], Agent]
    usage: str
    description: str
    runs_code: bool = False


class AgentSuffix(NamedTuple):
    """A suffix that can be added to any agent's name.

    Attributes:
        add: wraps an agent.
        usage: the grammar of the specification.
        description: what the suffix does, in one line.
    """

    add: Callable[[Agent], Agent]
    usage: str
    description: str


def _random(settings: str, rules: Rules | None) -> Agent:
    from german_whist.agents.bots.random import RandomBot

    no_settings("random", settings)
    return RandomBot()


def _greedy(settings: str, rules: Rules | None) -> Agent:
    from german_whist.agents.bots.base import RuleBot
    from german_whist.agents.bots.greedy_kernels import choose

    no_settings("greedy", settings)
    return RuleBot("greedy", choose)


def _mc(settings: str, rules: Rules | None) -> Agent:
    from german_whist.agents.search.agent import SearchAgent

    return SearchAgent.flat(**read_settings("mc", settings, {"worlds": int}), rules=rules or _classic())


def _ismcts(settings: str, rules: Rules | None) -> Agent:
    from german_whist.agents.endgame.exact_agent import ExactEndgame
    from german_whist.agents.search.ismcts import ISMCTSAgent

    agent = ISMCTSAgent.from_spec(settings, rules or _classic())
    return ExactEndgame(agent, agent.name)


def _python(settings: str, rules: Rules | None) -> Agent:
    from german_whist.agents.own_code import own_agent

    return as_agent(own_agent(settings), rules)


def _heuristic(settings: str, rules: Rules | None) -> Agent:
    """Return the ``heuristic`` bot, or a search that improves it.

    Raises:
        ValueError: when a setting is unknown or wrong.
    """
    from german_whist.agents.bots.base import RuleBot
    from german_whist.agents.bots.heuristic.bot_kernels import choose
    from german_whist.agents.search.settings import SETTINGS

    bot = RuleBot("heuristic", choose)
    given = split_spec(f"heuristic:{settings}", "agent")[1]
    searching = _search_settings("heuristic", given)
    for key in given:
        raise unknown_name_error("heuristic setting", key, SETTINGS)
    return _search_agent(bot, rules or _classic(), searching, f"heuristic:{settings}") if searching else bot


def split_checkpoint(settings: str) -> tuple[str, str]:
    """Split ``PATH[,SETTINGS]`` into the path and the settings; a path with commas must be quoted.

    Raises:
        ValueError: if the quotes do not match.
    """
    path = split_items(settings)[0]
    return unquoted(path), settings[len(path) + 1 :]


def checkpoint_spec(path: str | os.PathLike[str], **settings: object) -> str:
    """Return the specification of a checkpoint's agent, ``checkpoint:PATH[,SETTINGS]``, with quotes if needed."""
    from german_whist.agents.pretrained import PRETRAINED_NAMES

    name = os.fsdecode(path)
    if name in PRETRAINED_NAMES:
        name = os.path.join(".", name)  # a file, not the agent of this name
    if "," in name or name.startswith('"') or split_suffixes(name)[1]:
        name = quoted(name)
    return ",".join([f"checkpoint:{name}", *(f"{key}={value}" for key, value in settings.items())])


def as_spec(agent: AgentLike) -> str | Agent | SupportsAct:
    """Return the specification that a path stands for; any other specification or object is returned as it is.

    The folder of a run becomes the checkpoint that is its newest now, even if the run writes others later.

    Raises:
        ValueError: when a folder has no checkpoints.
    """
    if isinstance(agent, os.PathLike):
        return checkpoint_spec(_checkpoint_file(agent))
    if not isinstance(agent, str):
        return agent
    path, suffixes = split_suffixes(agent)
    if _maker(path.partition(":")[0], KINDS) is not None or path.endswith(".py") or not os.path.exists(path):
        return agent
    return "".join([checkpoint_spec(_checkpoint_file(path)), *(f"+{name}" for name in reversed(suffixes))])


def _checkpoint_file(path: str | os.PathLike[str]) -> str | os.PathLike[str]:
    """Return the path of a checkpoint file; for the folder of a run, that of its newest checkpoint."""
    from german_whist.agents.policy.checkpoint import newest_checkpoint

    return newest_checkpoint(path) if os.path.isdir(path) else path


def _checkpoint(settings: str, rules: Rules | None) -> Agent:
    """Return the agent of a single network, ``PATH[,temperature=T][,endgame=HOW][,search=N]``.

    The path may also be the name of a pretrained agent, or a run's folder, which stands for its newest checkpoint.

    Raises:
        ValueError: when the file cannot be read or a setting is wrong.
    """
    from german_whist.agents.pretrained import PRETRAINED_NAMES, find_network

    path, rest = split_checkpoint(settings)
    if not path:
        raise ValueError("agent 'checkpoint' needs a file: checkpoint:PATH[,temperature=T][,endgame=HOW]")
    if path not in PRETRAINED_NAMES:
        path = os.fspath(_checkpoint_file(path))
    return _network_agent(find_network(path), _network_name(Path(path)), "checkpoint", rest, rules)


def _network_name(path: Path) -> str:
    """Return the name of a network file's agent; files of a run are named after the run's folder."""
    folder = path.parent.parent if path.parent.name == "checkpoints" else path.parent
    if not folder.name or (folder == path.parent and path.stem not in ("final", "distilled")):
        return path.stem
    return folder.name if path.stem == "final" else f"{folder.name}-{path.stem}"


def _pretrained(name: str, settings: str, rules: Rules | None) -> Agent:
    """Return a pretrained agent: ``champion`` or ``small``.

    Raises:
        ValueError: when a setting is wrong, or the endgame of these rules is not open.
    """
    from german_whist.agents.pretrained import load_pretrained

    return _network_agent(load_pretrained(name), name, name, settings, rules)


def _network_agent(checkpoint: Checkpoint, name: str, kind: str, settings: str, rules: Rules | None) -> Agent:
    """Return the agent of a network, with an exact endgame if ``endgame=`` or, by default, the model card says so.

    Args:
        checkpoint: the network.
        name: name of the agent.
        kind: the part of the specification before the colon.
        settings: the part after the colon, without the path.
        rules: the rules of the game; by default those that the network was trained for.
    """
    from german_whist.agents.endgame.exact_agent import ExactEndgame
    from german_whist.agents.policy.agent import PolicyAgent
    from german_whist.agents.search.settings import SETTINGS

    given = split_spec(f"{kind}:{settings}", "agent")[1]
    searching = _search_settings(kind, given)
    for key in given:
        if key not in ("temperature", "endgame"):
            raise unknown_name_error(f"{kind} setting", key, ("temperature", "endgame", *SETTINGS))
    temperature = _number(given.get("temperature", "0"))
    agent = PolicyAgent(checkpoint, temperature, name, rules)
    endgame = check_endgame(given.get("endgame", checkpoint.endgame))
    if searching:
        if agent.temperature or endgame != EXACT:
            raise ValueError(
                f"agent {kind!r}: search plays the best card and an exact endgame: leave out temperature and endgame"
            )
        return _search_agent(agent, agent.rules, searching, f"{name}:{settings}")
    return ExactEndgame(agent, name) if endgame == EXACT else agent


def _search_settings(kind: str, given: dict[str, str]) -> SearchSettings | None:
    """Remove the settings of a search from an agent's settings and return them; ``None`` without a search."""
    from german_whist.agents.search.settings import SETTINGS, settings_from

    taken = {key: given.pop(key) for key in SETTINGS if key in given}
    if taken.get("search", "0").strip() == "0":
        for key in taken:
            if key != "search":
                raise ValueError(f"agent {kind!r}: {key} needs a search: give search=N as well")
        return None
    return settings_from(taken)


def _search_agent(policy: Agent, rules: Rules, settings: SearchSettings, name: str) -> Agent:
    """Return a search that improves a policy, with an exact endgame.

    Rollouts are played by ``small`` for every network, because a large one would take many times as long. The heuristic
    bot plays its own.
    """
    from german_whist.agents.endgame.exact_agent import ExactEndgame
    from german_whist.agents.policy.agent import PolicyAgent
    from german_whist.agents.pretrained import SMALL, load_pretrained
    from german_whist.agents.search.agent import SearchAgent

    rollouts = load_pretrained(SMALL) if isinstance(policy, PolicyAgent) else None
    return ExactEndgame(SearchAgent(policy, rules, settings, rollouts, name), name)


def _classic() -> Rules:
    return rules_named("classic")


def _number(temperature: str) -> float:
    try:
        return float(temperature)
    except ValueError:
        raise ValueError(must_be("temperature", "a number", temperature)) from None


def _exact(agent: Agent) -> Agent:
    from german_whist.agents.endgame.exact_agent import ExactEndgame

    if isinstance(agent, ExactEndgame) and agent.name == agent.agent.name:
        return agent  # its endgame is exact already, under a name without +exact
    return ExactEndgame(agent)


NETWORK_SETTINGS = (
    "temperature=T (0 plays the best card, 1 samples), endgame=played or exact, search=N (lookahead in N worlds), "
    "threads=K"
)

KINDS: dict[str, AgentKind] = {
    "random": AgentKind(_random, "random", "a uniformly random legal card"),
    "greedy": AgentKind(_greedy, "greedy", "wins wanted tricks as cheaply as possible"),
    "heuristic": AgentKind(
        _heuristic,
        "heuristic[:search=N]",
        "textbook strategy with perfect memory",
    ),
    "mc": AgentKind(_mc, "mc[:worlds=N]", "flat Monte Carlo: tries each card in N sampled worlds (60)"),
    "ismcts": AgentKind(
        _ismcts,
        "ismcts[:iterations=N,reward=R]",
        "tree search in N sampled worlds (500), maximises R: win, margin or mixed (mixed)",
    ),
    "checkpoint": AgentKind(
        _checkpoint,
        "checkpoint:PATH[,SETTINGS]",
        "a trained network: a file, or the newest in a run's folder; PATH alone works too",
    ),
    "python": AgentKind(
        _python,
        "python:FILE.py:CLASS[,KEY=VALUE]",
        "a class of your own; MODULE:CLASS works too",
        runs_code=True,
    ),
}
# The kinds that specifications from untrusted sources may name: none runs code that the specification chooses.
_SAFE_KINDS = {name: kind for name, kind in KINDS.items() if not kind.runs_code}

SUFFIXES: dict[str, AgentSuffix] = {
    EXACT: AgentSuffix(_exact, "NAME+exact", "any agent with a perfect endgame"),
}


def agent_names() -> tuple[str, ...]:
    """Return the names that an agent specification can begin with.

    Returns:
        The kinds of agents (``"random"``, ``"greedy"``, ``"heuristic"``, ``"mc"``, ``"ismcts"``,
        ``"checkpoint"``, ``"python"``), then the pretrained agents (``"champion"``, ``"small"``). ``"checkpoint"``
        needs a path, ``"checkpoint:PATH"``, and ``"python"`` a class.
    """
    from german_whist.agents.pretrained import PRETRAINED_NAMES

    return (*KINDS, *PRETRAINED_NAMES)


def _maker(name: str, kinds: Mapping[str, AgentKind]) -> Callable[[str, Rules | None], Agent] | None:
    """Return the function that makes the agents of a name from settings and rules; ``None`` for an unknown name."""
    from german_whist.agents.pretrained import PRETRAINED_NAMES

    if name in kinds:
        return kinds[name].make
    return partial(_pretrained, name) if name in PRETRAINED_NAMES else None


def split_suffixes(spec: str) -> tuple[str, list[str]]:
    """Split a specification into the part without suffixes such as ``+exact``, and their names, the last one first."""
    suffixes = []
    rest, plus, suffix = spec.rpartition("+")
    while plus and suffix in SUFFIXES:
        suffixes.append(suffix)
        spec = rest
        rest, plus, suffix = spec.rpartition("+")
    return spec, suffixes


@overload
def make_agent(spec: Literal["champion", "small"], rules: str | Rules | None = None) -> ExactEndgame: ...
@overload
def make_agent(spec: str | os.PathLike[str], rules: str | Rules | None = None) -> Agent: ...
@overload
def make_agent(spec: AgentType, rules: str | Rules | None = None) -> AgentType: ...
@overload
def make_agent(spec: SupportsAct, rules: str | Rules | None = None) -> Agent: ...
def make_agent(spec: Any, rules: str | Rules | None = None) -> Any:
    """Make an agent from a specification string, for one game.

    The grammar is ``NAME[:SETTINGS][+exact]``:

    - ``"random"``, ``"greedy"``, ``"heuristic"``: rule bots;
    - ``"mc"``, ``"mc:worlds=240"``: flat Monte Carlo over sampled worlds (determinization), 60 by default;
    - ``"ismcts"``, ``"ismcts:iterations=2000,reward=win"``: information set Monte Carlo tree search, with exact
      endgames; ``reward=win|margin|mixed``;
    - ``"champion"``, ``"small"`` (pretrained, for every game with an open endgame), ``"checkpoint:PATH"``: policy
      networks, with the settings ``temperature=T`` (0, the default, plays the best card; T > 0 samples) and
      ``endgame=played|exact`` (default: what the model card says), as
      ``"champion:temperature=1"`` or ``"checkpoint:final.safetensors,endgame=exact"``. A path that has a comma or ends
      in ``+exact`` is put in double quotes, ``'checkpoint:"lr=0.1,seed=1/final.safetensors"'``. The folder of a run
      stands for its newest checkpoint. Without settings the path alone is enough, ``"runs/mine"``;
    - ``"champion:search=64"``, ``"checkpoint:PATH,search=64"``, ``"heuristic:search=64"``: the same policies with
      lookahead in 64 worlds (determinizations) weighted by how the opponent has played, and with exact endgames;
    - ``"python:my_bot.py:Bot"``, ``"python:package.module:Bot"``: a class of your own, with settings as keyword
      arguments, ``"python:my_bot.py:Bot,depth=2"``. Its code runs in this process;
    - ``"+exact"`` after any of these: perfect play once the opponent's hand is known. ``ismcts`` and
      pretrained agents already play that way.

    Args:
        spec: a specification string, the ``Path`` of a checkpoint, or an agent object. An :class:`Agent` is returned as
            it is; an object with ``act(views, rng)`` or ``act(observations, action_masks)`` is wrapped.
        rules: the rules of the deals that the agent will play: a preset's name, with settings if wanted, or ``Rules``.
            By default the game that a checkpoint's network was trained for, else ``"classic"``.

    Returns:
        The agent: ``agent.act(views, rng)`` takes a ``VIEW`` array of shape (n,) and returns int64[n], one legal action
        per view. ``agent.network`` is its policy network, with ``checkpoint``, ``probabilities(views)`` and
        ``advantages(views)``, or ``None``.

    Raises:
        ValueError: when there is no such agent, its file cannot be read, a setting is wrong, ``+exact`` is given twice,
            or the agent cannot play this game.
    """
    game = None if rules is None else rules_named(rules)
    spec = as_spec(spec)
    return _made(spec, game, KINDS) if isinstance(spec, str) else as_agent(spec, game)


def make_agent_without_code(spec: str, rules: str | Rules | None = None) -> Agent:
    """Make an agent from an untrusted specification: as ``make_agent``, but without ``python:``.

    For specifications in requests, saved games and other files, which must not choose code to run.

    Raises:
        ValueError: as ``make_agent``, and for ``python:``.
    """
    if runs_code(spec):
        raise ValueError(f"agent {short_repr(spec)} runs code: only a command line or a program of yours may name it")
    return _made(spec, None if rules is None else rules_named(rules), _SAFE_KINDS)


def runs_code(spec: str) -> bool:
    """Return whether a specification names code that is run, as ``python:`` does."""
    name = split_suffixes(spec)[0].partition(":")[0]
    return name in KINDS and KINDS[name].runs_code


def _made(spec: str, game: Rules | None, kinds: Mapping[str, AgentKind]) -> Agent:
    """Return the agent of a specification, which must be of one of these kinds or pretrained."""
    if len(spec) > MAX_SPEC:
        raise ValueError(f"agent {short_repr(spec)} has {len(spec)} characters: at most {MAX_SPEC} are allowed")
    given = spec
    spec, suffixes = split_suffixes(spec)
    name, _, settings = spec.partition(":")
    make = _maker(name, kinds)
    if make is None:
        rest, plus, suffix = spec.rpartition("+")
        if plus and _maker(rest.partition(":")[0], kinds):
            raise unknown_name_error("agent suffix", f"+{suffix}", [f"+{one}" for one in SUFFIXES])
        if name.endswith(".py"):
            raise ValueError(f"unknown agent {short_repr(spec)}: write python:{name}:CLASS for your own code")
        if "/" in name:
            raise ValueError(f"unknown agent {short_repr(spec)}: there is no such file or folder")
        raise unknown_name_error("agent", name, [known for known in agent_names() if _maker(known, kinds)])
    try:
        agent = make(settings, game)
    except ValueError as error:
        path = given.partition(":")[2]
        if name == "checkpoint" and given != checkpoint_spec(path) and os.path.isfile(path):
            raise ValueError(f"{error}: write {checkpoint_spec(path)} for the file {short_repr(path)}") from None
        raise
    for one in reversed(suffixes):
        agent = SUFFIXES[one].add(agent)
    return agent
