"""The registry of agents by name: specification strings, such as ``heuristic+exact``, and ``make_agent``."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, overload

from german_whist.agents.base import Agent, AgentLike, SupportsAct
from german_whist.agents.forms import as_agent
from german_whist.game.endgame_setting import EXACT, check_endgame
from german_whist.game.rules import Rules
from german_whist.game.rules import rules as get_rules
from german_whist.game.utils.names import split_settings, unknown_name_error

if TYPE_CHECKING:
    from german_whist.agents.policy.checkpoint import Checkpoint

AgentType = TypeVar("AgentType", bound=Agent)

SEARCH = {"search": int, "threads": int}
NETWORK = {"temperature": float, "endgame": str, **SEARCH}
NETWORK_SETTINGS = (
    "temperature=T (0 plays the best card, 1 samples), endgame=played or exact, or search=N (lookahead in "
    "N worlds, with exact endgames) and threads=K"
)
SUFFIX = f"+{EXACT}"


class AgentKind(NamedTuple):
    """A kind of agent.

    Attributes:
        make: makes an agent from the part of the specification after the colon, and the rules of a game.
        usage: the grammar of the specification.
        description: one line.
    """

    make: Callable[[str, Rules | None], Agent]
    usage: str
    description: str


def read_settings(kind: str, text: str, types: Mapping[str, Callable[[str], Any]]) -> dict[str, Any]:
    """Return the settings in ``"key=value,key=value"``.

    Args:
        kind: name of the agent, for errors.
        text: the settings; may be empty.
        types: ``int``, ``float`` or ``str`` for each key.

    Raises:
        ValueError: if a setting is unknown, repeated, or not a number where one is needed.
    """
    settings = split_settings(text, f"agent {kind!r}")
    for key in settings:
        if key not in types:
            raise unknown_name_error(f"{kind} setting", key, types)
    try:
        return {key: types[key](value) for key, value in settings.items()}
    except ValueError as error:
        raise ValueError(f"agent {kind!r}, {text!r}: {error}") from None


def _random(settings: str, rules: Rules | None) -> Agent:
    from german_whist.agents.bots.random import RandomBot

    read_settings("random", settings, {})
    return RandomBot()


def _greedy(settings: str, rules: Rules | None) -> Agent:
    from german_whist.agents.bots.base import RuleBot
    from german_whist.agents.bots.greedy_kernels import choose

    read_settings("greedy", settings, {})
    return RuleBot("greedy", choose)


def _heuristic(settings: str, rules: Rules | None) -> Agent:
    from german_whist.agents.bots.base import RuleBot
    from german_whist.agents.bots.heuristic.bot_kernels import choose

    given = read_settings("heuristic", settings, SEARCH)
    bot = RuleBot("heuristic", choose)
    return _search(bot, rules or _classic(), f"heuristic:{settings}", given) if given else bot


def _mc(settings: str, rules: Rules | None) -> Agent:
    from german_whist.agents.search.agent import SearchAgent

    return SearchAgent.flat(**read_settings("mc", settings, {"worlds": int}), rules=rules or _classic())


def _ismcts(settings: str, rules: Rules | None) -> Agent:
    from german_whist.agents.endgame.exact_agent import ExactEndgame
    from german_whist.agents.search.ismcts import ISMCTSAgent

    given = read_settings("ismcts", settings, {"iterations": int, "reward": str})
    agent = ISMCTSAgent(**given, rules=rules or _classic())
    return ExactEndgame(agent, agent.name)


def _python(settings: str, rules: Rules | None) -> Agent:
    from german_whist.agents.external_agents import load_agent

    return as_agent(load_agent(settings), rules)


def _checkpoint(settings: str, rules: Rules | None) -> Agent:
    """Return the agent of a checkpoint, from ``PATH[,SETTINGS]``; a run's folder stands for its newest checkpoint."""
    from german_whist.agents.policy.checkpoint import checkpoint_file, load_checkpoint

    path, _, rest = _path_and_settings(settings)
    file = checkpoint_file(path)
    if spec := module_spec(path, file):
        read_settings(f"checkpoint:{path}", rest, {})
        return make_agent(spec, rules)
    return _network(load_checkpoint(file), _network_name(file), f"checkpoint:{path}", rest, rules)


def _path_and_settings(text: str) -> tuple[str, str, str]:
    """Split ``PATH[,SETTINGS]`` at the comma, unless it is part of a file's name.

    Raises:
        ValueError: if there is no path.
    """
    path, comma, settings = (text, "", "") if os.path.exists(text) else text.partition(",")
    if not path:
        raise ValueError("agent 'checkpoint' needs a path: checkpoint:PATH")
    return path, comma, settings


def module_spec(path: str | os.PathLike[str], file: Path) -> str | None:
    """Return ``python:FILE:CLASS,checkpoint=PATH`` for a run whose network is of a class of the user's own.

    Args:
        path: the run's folder, which has a copy of the code. A lone file of weights never imports anything.
        file: its newest checkpoint.
    """
    from german_whist.agents.policy.checkpoint import module_class, read_model_card

    if not os.path.isdir(path) or (own := module_class(file)) is None:
        return None
    source, _, name = own.partition(":")
    exact = SUFFIX if read_model_card(file)["endgame"] == EXACT else ""
    return f"python:{Path(path) / Path(source).name}:{name},checkpoint={file}{exact}"


def _network_name(path: Path) -> str:
    """Return the name of a network file's agent; files of a run are named after the run's folder."""
    folder = path.parent.parent if path.parent.name == "checkpoints" else path.parent
    if not folder.name or (folder == path.parent and path.stem not in ("final", "distilled")):
        return path.stem
    return folder.name if path.stem == "final" else f"{folder.name}-{path.stem}"


def _pretrained(name: str, settings: str, rules: Rules | None) -> Agent:
    from german_whist.agents.pretrained import load_pretrained

    return _network(load_pretrained(name), name, name, settings, rules)


def _network(checkpoint: Checkpoint, name: str, kind: str, settings: str, rules: Rules | None) -> Agent:
    """Return the agent of a network.

    The endgame is exact if ``endgame=`` or, by default, the model card says so; a search always has an exact one.

    Args:
        checkpoint: the network.
        name: name of the agent without the settings.
        kind: the specification without the settings.
        settings: the settings.
        rules: the rules of the game; by default those that the network was trained for.
    """
    from german_whist.agents.endgame.exact_agent import ExactEndgame
    from german_whist.agents.policy.agent import PolicyAgent

    given = read_settings(kind, settings, NETWORK)
    name = f"{name}:{settings}" if settings else name
    agent = PolicyAgent(checkpoint, given.pop("temperature", 0.0), name, rules)
    endgame = given.pop("endgame", None)
    if given:
        if agent.temperature or endgame not in (None, EXACT):
            raise ValueError(f"agent {kind!r}, {settings!r}: a search takes no temperature and plays exact endgames")
        return _search(agent, agent.rules, name, given)
    return ExactEndgame(agent, name) if check_endgame(endgame or checkpoint.endgame) == EXACT else agent


def _search(policy: Agent, rules: Rules, name: str, settings: Mapping[str, int]) -> Agent:
    """Return a search that improves a policy, with an exact endgame.

    Rollouts are played by ``small`` for every network, because a large one would take many times as long. The heuristic
    bot plays its own.
    """
    from german_whist.agents.endgame.exact_agent import ExactEndgame
    from german_whist.agents.policy.agent import PolicyAgent
    from german_whist.agents.pretrained import SMALL, load_pretrained
    from german_whist.agents.search.agent import SearchAgent

    if "search" not in settings:
        raise ValueError(f"agent {name!r}: threads=K needs search=N")
    rollouts = load_pretrained(SMALL) if isinstance(policy, PolicyAgent) else None
    threads = settings.get("threads", 0)
    return ExactEndgame(SearchAgent(policy, rules, settings["search"], rollouts, name, threads=threads), name)


def _classic() -> Rules:
    return get_rules("classic")


KINDS: dict[str, AgentKind] = {
    "random": AgentKind(_random, "random", "a uniformly random legal card"),
    "greedy": AgentKind(_greedy, "greedy", "wins wanted tricks as cheaply as possible"),
    "heuristic": AgentKind(_heuristic, "heuristic[:search=N]", "textbook strategy with perfect memory"),
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
    ),
}
# By name: grammar and description.
USAGES = {name: (kind.usage, kind.description) for name, kind in KINDS.items()}
USAGES[SUFFIX] = (f"NAME{SUFFIX}", "any agent with a perfect endgame")


def agent_names() -> tuple[str, ...]:
    """Return the names that an agent specification can begin with.

    Returns:
        The kinds of agents (``"random"``, ``"greedy"``, ``"heuristic"``, ``"mc"``, ``"ismcts"``,
        ``"checkpoint"``, ``"python"``), then the pretrained agents (``"champion"``, ``"small"``). ``"checkpoint"``
        needs a path, ``"checkpoint:PATH"``, and ``"python"`` a class.
    """
    from german_whist.agents.pretrained import PRETRAINED_NAMES

    return (*KINDS, *PRETRAINED_NAMES)


def as_spec(agent: AgentLike) -> AgentLike:
    """Return ``checkpoint:PATH[,SETTINGS]`` for a checkpoint; any other specification or object is returned as it is.

    Shares of agents become shares of these. The folder of a run becomes the checkpoint that is its newest now, even if
    the run writes others later.

    Raises:
        ValueError: when a folder has no checkpoints.
    """
    from german_whist.agents.policy.checkpoint import checkpoint_file

    def of_path(path: str | os.PathLike[str], settings: str = "", suffix: str = "") -> str:
        file = checkpoint_file(path)
        own = None if settings else module_spec(path, file)
        return f"checkpoint:{file}{settings}{suffix}" if own is None else own.removesuffix(suffix) + suffix

    if isinstance(agent, os.PathLike):
        return of_path(agent)
    if isinstance(agent, Mapping):
        return {as_spec(one): share for one, share in agent.items()}
    if not isinstance(agent, str):
        return agent
    text = agent.removesuffix(SUFFIX)
    suffix, (kind, _, rest) = agent.removeprefix(text), text.partition(":")
    if kind == "checkpoint":
        path, comma, settings = _path_and_settings(rest)
        return of_path(path, comma + settings, suffix)
    if kind in agent_names() or text.endswith(".py") or not os.path.exists(text):
        return agent
    return of_path(text, suffix=suffix)


@overload
def make_agent(spec: str | os.PathLike[str], rules: str | Rules | None = None) -> Agent: ...
@overload
def make_agent(spec: AgentType, rules: str | Rules | None = None) -> AgentType: ...
@overload
def make_agent(spec: SupportsAct | Mapping[Any, float], rules: str | Rules | None = None) -> Agent: ...
def make_agent(spec: Any, rules: str | Rules | None = None) -> Any:
    """Make an agent from a specification string, for one game.

    The grammar is ``NAME[:KEY=VALUE,KEY=VALUE][+exact]``:

    - ``"random"``, ``"greedy"``, ``"heuristic"``: rule bots;
    - ``"mc"``, ``"mc:worlds=240"``: flat Monte Carlo over sampled worlds (determinization), 60 by default;
    - ``"ismcts"``, ``"ismcts:iterations=2000,reward=win"``: information set Monte Carlo tree search, with exact
      endgames; ``reward=win|margin|mixed``;
    - ``"champion"``, ``"small"`` (pretrained, for every game with an open endgame), ``"checkpoint:PATH"``: policy
      networks, with the settings ``temperature=T`` (0, the default, plays the best card; T > 0 samples) and
      ``endgame=played|exact`` (default: what the model card says), as ``"champion:temperature=1"`` or
      ``"checkpoint:final.safetensors,endgame=exact"``. The folder of a run stands for its newest checkpoint. Without
      settings the path alone is enough, ``"runs/mine"``;
    - ``"champion:search=64"``, ``"checkpoint:PATH,search=64"``, ``"heuristic:search=64"``: the same policies with
      lookahead in 64 worlds (determinizations) in the last five tricks of the foreplay, weighted by how the opponent
      has played, and with exact endgames;
    - ``"python:mine.py:Bot"``, ``"python:package.module:Bot"``: a class of your own, with settings as keyword
      arguments, ``"python:mine.py:Bot,depth=2"``. Its code runs in this process;
    - ``"+exact"`` after any of these: perfect play once the opponent's hand is known. ``ismcts`` and
      pretrained agents already play that way.

    Args:
        spec: a specification string, the ``Path`` of a checkpoint, or an agent object. An :class:`Agent` is returned as
            it is; an object with ``act(decisions)`` or ``act(observations, action_masks)`` is wrapped. Or shares of
            the deals by agent, ``{"heuristic": 0.8, "random": 0.2}``: who plays a deal follows from its seed and index.
        rules: the rules of the deals that the agent will play: a preset's name, with settings if wanted, or ``Rules``.
            By default the game that a checkpoint's network was trained for, else ``"classic"``.

    Returns:
        The agent: ``agent.act(decisions)`` returns int64[n], one legal action per decision, and
        ``agent.evaluate(decisions, ...)`` what it knows of them. ``agent.prior`` is the network agent inside it, whose
        ``checkpoint`` has the weights, or ``None``.

    Raises:
        ValueError: when there is no such agent, its file cannot be read, a setting is wrong, or the agent cannot play
            this game.
    """
    game = None if rules is None else get_rules(rules)
    if isinstance(spec, Mapping):
        from german_whist.agents.mixture import Mixture

        return Mixture([make_agent(agent, game) for agent in spec], [*spec.values()])
    if isinstance(spec, os.PathLike):
        return _checkpoint(os.fspath(spec), game)
    if not isinstance(spec, str):
        return as_agent(spec, game)
    without_suffix = spec.removesuffix(SUFFIX)
    agent = _maker(without_suffix)(game)
    if without_suffix == spec:
        return agent
    from german_whist.agents.endgame.exact_agent import with_exact_endgame

    return with_exact_endgame(agent)


def _maker(spec: str) -> Callable[[Rules | None], Agent]:
    """Return the function that makes the agent of a specification without a suffix."""
    from german_whist.agents.pretrained import PRETRAINED_NAMES

    name, _, settings = spec.partition(":")
    if name in KINDS:
        return partial(KINDS[name].make, settings)
    if name in PRETRAINED_NAMES:
        return partial(_pretrained, name, settings)
    if name.endswith(".py"):
        raise ValueError(f"unknown agent {spec!r}: write python:{name}:CLASS for your own code")
    if os.path.exists(spec):
        return partial(_checkpoint, spec)
    if "/" in name:
        raise ValueError(f"unknown agent {spec!r}: there is no such file or folder")
    raise unknown_name_error("agent", name, agent_names())
