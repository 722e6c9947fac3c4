from __future__ import annotations

from pathlib import Path

import pytest

from german_whist.agents.endgame.exact_agent import ExactEndgame
from german_whist.agents.policy.agent import PolicyAgent
from german_whist.agents.registry import KINDS, SUFFIXES, agent_names, make_agent
from tests.agents.networks import some_network


@pytest.mark.parametrize("name", ["random", "greedy", "heuristic"])
def test_rule_bots_by_name(name: str) -> None:
    agent = make_agent(name)
    assert agent.name == name  # type: ignore[attr-defined]
    assert callable(agent.act)


def test_the_names_are_those_of_the_kinds_and_each_is_described() -> None:
    assert tuple(KINDS) == ("random", "greedy", "heuristic", "mc", "pimc", "ismcts", "checkpoint", "process")
    assert agent_names() == (*KINDS, "champion", "small")
    for name, kind in KINDS.items():
        assert kind.usage.startswith(name)
        assert kind.description


def test_an_agent_object_is_returned_as_it_is() -> None:
    agent = make_agent("greedy")
    assert make_agent(agent) is agent


@pytest.mark.parametrize(
    ("typo", "meant"),
    [("heuristics", "heuristic"), ("Random", "random"), ("gredy", "greedy"), ("chekpoint:x", "checkpoint")],
)
def test_a_near_miss_gets_the_nearest_name(typo: str, meant: str) -> None:
    with pytest.raises(ValueError, match=f"unknown agent '{typo.partition(':')[0]}': did you mean '{meant}'"):
        make_agent(typo)


@pytest.mark.parametrize("name", ["", "zzz", ":", " heuristic "])
def test_an_unknown_name_gets_the_list(name: str) -> None:
    kinds = "random, greedy, heuristic, mc, pimc, ismcts, checkpoint, process"
    with pytest.raises(ValueError, match=f"allowed: {kinds}, champion, small"):
        make_agent(name)


@pytest.mark.parametrize("thing", [None, 3, ["random"], object, {"name": "random"}])
def test_an_object_without_act_is_refused(thing: object) -> None:
    with pytest.raises(ValueError, match=r"neither an agent's name nor an object with act\(views, rng\)"):
        make_agent(thing)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("random", "agent 'random' takes no settings, 'depth' was given"),
        ("greedy", "agent 'greedy' takes no settings, 'depth' was given"),
        ("heuristic", "unknown heuristic setting 'depth': allowed: search, threads"),
        ("heuristic:search=4", "unknown heuristic setting 'depth': allowed: search, threads"),
    ],
)
def test_a_rule_bot_takes_no_settings_but_those_of_a_search(name: str, message: str) -> None:
    separator = "," if ":" in name else ":"
    with pytest.raises(ValueError, match=message):
        make_agent(f"{name}{separator}depth=3")
    with pytest.raises(ValueError, match="'fast' is not key=value"):
        make_agent(f"{name}{separator}fast")


def test_an_error_about_settings_cuts_long_ones() -> None:
    for spec in ("greedy:KEY=1", "heuristic:KEY=1", "heuristic:search=KEY", "champion:search=1,threads=KEY"):
        with pytest.raises(ValueError, match=r"k{90}") as raised:
            make_agent(spec.replace("KEY", "k" * 1000))
        assert len(str(raised.value)) < 400


@pytest.mark.parametrize("name", ["heuristic", "champion"])
def test_a_search_in_0_worlds_is_the_agent_itself(name: str) -> None:
    agent = make_agent(f"{name}:search=0")
    assert type(agent) is type(make_agent(name))
    assert agent.name == name  # type: ignore[attr-defined]


def test_a_checkpoint_by_path(tmp_path: Path) -> None:
    path = tmp_path / "one.safetensors"
    some_network().save(path)
    agent = make_agent(f"checkpoint:{path}")
    assert isinstance(agent, PolicyAgent)
    assert (agent.name, agent.temperature) == ("one", 0)
    assert make_agent(f"checkpoint:{path},temperature=0.5").temperature == 0.5  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ("", r"needs a file: checkpoint:PATH\[,temperature=T\]\[,endgame=HOW\]"),
        (",temperature=1", "needs a file"),
        ("FILE,temprature=1", "unknown checkpoint setting 'temprature': did you mean 'temperature'"),
        ("FILE,temperature=hot", "temperature 'hot' is not a number"),
        ("FILE,temperature=-1", "temperature -1.0 is not allowed"),
        ("FILE,temperature=nan", "temperature nan is not allowed"),
        ("FILE,temperature=inf", "temperature inf is not allowed"),
        ("FILE,endgame=exat", "unknown endgame 'exat': did you mean 'exact'\\? allowed: played, exact"),
        ("FILE,endgam=exact", "unknown checkpoint setting 'endgam': did you mean 'endgame'"),
        ("FILE,temperature", "'temperature' is not key=value"),
        ("FILE,temperature=1,temperature=2", "'temperature' is set twice"),
        ("FILE.gone", "there is no such file"),
    ],
)
def test_wrong_settings_of_a_checkpoint_are_named(tmp_path: Path, settings: str, message: str) -> None:
    path = tmp_path / "one.safetensors"
    some_network().save(path)
    with pytest.raises(ValueError, match=message):
        make_agent("checkpoint:" + settings.replace("FILE", str(path)))


@pytest.mark.parametrize("spec", ["random", "greedy", "heuristic", "CHECKPOINT", "CHECKPOINT,temperature=0.5"])
def test_any_agent_can_have_an_exact_endgame(tmp_path: Path, spec: str) -> None:
    path = tmp_path / "one.safetensors"
    some_network().save(path)
    spec = spec.replace("CHECKPOINT", f"checkpoint:{path}")
    agent = make_agent(f"{spec}+exact")
    plain = make_agent(spec)
    assert isinstance(agent, ExactEndgame)
    assert type(agent.agent) is type(plain)
    assert getattr(agent.agent, "temperature", None) == getattr(plain, "temperature", None)
    assert agent.name == f"{plain.name}+exact"  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("greedy+exact+exact", r"agent 'greedy\+exact' plays the endgame exactly already: give \+exact once"),
        ("greedy+exat", r"unknown agent suffix '\+exat': did you mean '\+exact'"),
        ("gredy+exact", "unknown agent 'gredy': did you mean 'greedy'"),
        ("greedy:depth=3+exact", "agent 'greedy' takes no settings, 'depth' was given"),
        ("+exact", "unknown agent ''"),
    ],
)
def test_an_unknown_suffix_or_base_agent_is_named(spec: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make_agent(spec)


def test_every_suffix_is_described() -> None:
    for name, suffix in SUFFIXES.items():
        assert suffix.usage == f"NAME+{name}"
        assert suffix.description
