"""Training settings: their types and ranges, those that have to agree, and where they are read from."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

import pytest
import yaml

import german_whist as gw
from german_whist.agents.pretrained import find_network
from german_whist.training.config import TrainConfig
from german_whist.training.policy_iteration.config import PolicyIterationConfig, every_game
from german_whist.training.recipes import load_config, recipe_names
from german_whist.training.registry import trainer_settings
from tests.agents.networks import some_network, suit_network
from tests.training.policy_iteration_runs import small_config
from tests.training.sb3_runs import tiny_config
from tools import train_settings


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "mine.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def as_yaml(value: Any) -> str:
    return yaml.safe_dump(value, default_flow_style=True).removesuffix("\n...\n").strip()


@pytest.mark.parametrize("name", recipe_names())
def test_recipes_load(name: str) -> None:
    config = load_config(name)
    assert config.decisions >= 950_000  # the shortest, quickstart
    assert set(config.shares) == (set(every_game()) if name == "three-hours" else {"classic"})


@pytest.mark.parametrize(
    "config", [small_config(games={"tiny": 1.0}, inputs="universal"), tiny_config(learning_rate=3e-7)]
)
def test_yaml_round_trip(config: TrainConfig, tmp_path: Path) -> None:
    path = written(tmp_path, config.to_yaml())
    assert load_config(path) == config
    assert list(yaml.safe_load(path.read_text())) == list(trainer_settings(config.trainer))


def test_overrides_change_a_file(tmp_path: Path) -> None:
    path = written(tmp_path, "decisions: 5000\nseed: 3\nlearning_rate: -2\n")
    config = load_config(path, {"decisions": "7_000", "opponents": "{self: 1, greedy: 0.5}", "learning_rate": "1"})
    opponents = {"self": 1.0, "greedy": 0.5}
    assert config == PolicyIterationConfig(decisions=7000, seed=3, learning_rate=1.0, opponents=opponents)


@pytest.mark.parametrize(
    ("key", "text", "value"),
    [
        ("decisions", "1e6", 1_000_000),
        ("decisions", "1_000_000", 1_000_000),
        ("learning_rate", "1e-3", 0.001),
        ("hidden", "[1e1, 20]", [10, 20]),
        ("hidden", "64, 1_28", [64, 128]),
        ("value_hidden", "32", [32]),
        ("rules", "classic:hand=10,stock=32", "classic:hand=10,stock=32"),
        ("opponents", "{pool: 1e-1, self: 2}", {"pool": 0.1, "self": 2.0}),
        ("evaluate_against", "random", ["random"]),
        (
            "evaluate_against",
            "small:temperature=1,endgame=exact, random",
            ["small:temperature=1,endgame=exact", "random"],
        ),
    ],
)
def test_text_is_converted(key: str, text: str, value: Any) -> None:
    found = load_config("quickstart", {key: text}).model_dump()[key]
    assert found == value
    assert type(found) is type(value)
    assert load_config("quickstart", {key: value}).model_dump()[key] == value


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"decisions": "many"}, "decisions"),
    ({"decisions": 1.5}, "decisions"),
    ({"decisions": 10**13}, "decisions"),
    ({"learning_rate": float("inf")}, "learning_rate"),
    ({"hidden": []}, "hidden"),
    ({"rules": "classic:hnd=3"}, "'hnd': did you mean 'hand'"),
    ({"opponents": {"self": 0}}, "opponents"),
    ({"opponents": {"slef": 1}}, "'slef': did you mean 'self'"),
    ({"opponents": {"checkpoint:mine.safetensors": 1}, "rules": "tiny"}, "'mine' was trained for 'classic'"),
    ({"evaluate_against": ["pool"]}, "'pool'"),
    ({"games": {"every": 1}}, "inputs"),
    ({"games": {"small": 1}}, "inputs"),
    ({"games": {"every": 1, "humbug": 1}, "inputs": "universal"}, "humbug"),
    ({"games": {"tny": 1}}, "'tny': did you mean 'tiny'"),
    ({"init": "champio"}, "did you mean .*'champion'"),
    ({"suit_layers": 1, "hidden": [8, 8, 8], "value_hidden": [8]}, "suit_layers=1"),
    ({"hiden": [8]}, "'hiden': did you mean 'hidden'"),
    ({"trainer": "sb4"}, "'sb4': did you mean 'sb3'"),
    ({"trainer": []}, r"trainer.*\[\]"),
    ({"init": True}, "init: .*True|'true'"),
    ({"init": [1]}, r"init: .*\[1\]|'\[1\]'"),
]


@pytest.mark.usefixtures("classic_agent")
@pytest.mark.parametrize(("settings", "named"), WRONG, ids=str)
def test_wrong_setting_is_named(settings: dict[str, Any], named: str, tmp_path: Path) -> None:
    for text, given in (
        ("", settings),
        ("", {key: value if isinstance(value, str) else as_yaml(value) for key, value in settings.items()}),
        (yaml.safe_dump(settings), {}),
    ):
        with pytest.raises(ValueError, match=named):
            load_config(written(tmp_path, text), given)


@pytest.mark.parametrize(
    "text",
    [
        "seed: 1\nrows: [1, 2\n",
        "- seed\n- 1\n",
        "seed: !!python/object/apply:os.getcwd []\n",
        "seed: !!bool x\n",
        "seed: !!timestamp x\n",
        "seed: 2020-13-45\n",
        f"seed: {'[' * 3000}\n",
    ],
    ids=lambda text: text[:20],
)
def test_file_without_mapping_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(ValueError, match=r"mine\.yaml"):
        load_config(written(tmp_path, text))
    with pytest.raises(ValueError, match="'quikstart': did you mean 'quickstart'"):
        load_config("quikstart")
    with pytest.raises(ValueError, match="opponents"):
        load_config("quickstart", {"opponents": "{self: 1"})


def test_file_without_text_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_bytes(b"seed: \xff\n")
    with pytest.raises(ValueError, match=r"mine\.yaml"):
        load_config(path)


def test_a_path_is_a_network(tmp_path: Path) -> None:
    path = tmp_path / "made.safetensors"
    some_network(game="tiny").save(path)
    settings = {"rules": "tiny", "init": path, "opponents": {"self": 0.5, path: 0.5}, "evaluate_against": [path]}
    file = written(
        tmp_path, f"rules: tiny\ninit: {path}\nopponents: {{self: 0.5, {path}: 0.5}}\nevaluate_against: [{path}]"
    )
    for config in (load_config("quickstart", settings), load_config(file)):
        assert isinstance(config, PolicyIterationConfig)
        assert (config.init, list(config.opponents)) == (str(path), ["self", f"checkpoint:{path}"])
        assert config.evaluate_against == [f"checkpoint:{path}"]


def test_a_folder_called_self_is_not_an_opponent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "self").mkdir()
    assert load_config("quickstart").opponents == {"self": 0.6, "pool": 0.4}


def test_types_of_settings_are_up_to_date() -> None:
    assert train_settings.FILE.read_text() == train_settings.text(), "renew it: python -m tools.train_settings"
    parameters = inspect.signature(gw.train).parameters
    assert {"decisions", "ent_coef", "value_lambda", "out", "resume"} <= parameters.keys()


def test_settings_of_a_run_do_not_need_its_init(tmp_path: Path) -> None:
    path = tmp_path / "made.safetensors"
    some_network(game="tiny").save(path)
    config = load_config("quickstart", {"rules": "tiny", "init": path})
    path.unlink()
    assert load_config(written(tmp_path, config.to_yaml())) == config


def test_rules_replace_games() -> None:
    assert load_config("three-hours", {"rules": "short"}).shares == {"short": 1.0}
    assert set(load_config("three-hours", {"rules": "short", "games": "{tiny: 1}"}).shares) == {"tiny"}


def test_init_sets_sizes(tmp_path: Path) -> None:
    def hidden(text: str, settings: dict[str, str] | None = None) -> list[int]:
        return load_config(written(tmp_path, text), settings).hidden

    some_network(hidden=(16, 24)).save(tmp_path / "made.safetensors")
    init = f"init: {tmp_path / 'made.safetensors'}\n"
    assert hidden(init) == [16, 24]
    assert hidden(init, {"hidden": "[8]"}) == [8]
    assert hidden(f"hidden: [8]\n{init}") == [8]
    assert hidden(f"hidden: [8]\n{init}", {"init": "small"}) == find_network("small").sizes[1:-1]
    assert hidden(f"hidden: [8]\n{init}", {"init": "small", "hidden": "[9]"}) == [9]
    suit_network(2).save(tmp_path / "suits.safetensors")
    shared = load_config("quickstart", {"init": str(tmp_path / "suits.safetensors")})
    assert isinstance(shared, PolicyIterationConfig)
    assert (shared.hidden, shared.suit_layers) == ([9, 7, 11, 10, 8, 5], 2)
