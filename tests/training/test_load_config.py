"""Training settings: read, overridden, refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from german_whist.agents.pretrained import find_network
from german_whist.training.config import PolicyIterationConfig, SB3Config, every_game
from german_whist.training.load_config import config_fields, load_config, recipe_names
from tests.agents.networks import some_network, suit_network
from tests.training.policy_iteration_runs import SMALL_SETTINGS, small_config
from tests.training.sb3_runs import SETTINGS, tiny_config


def written(tmp_path: Path, text: str, name: str = "mine.yaml") -> Path:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


def refusal(source: object, overrides: dict[str, str] | None = None) -> str:
    with pytest.raises(ValueError, match=r".") as caught:
        load_config(source, overrides)  # type: ignore[arg-type]
    message = str(caught.value)
    assert "\n" not in message
    return message


@pytest.mark.parametrize("name", recipe_names())
def test_every_recipe_loads_by_its_name(name: str) -> None:
    config = load_config(name)
    assert config.decisions >= 1_000_000
    assert set(config.shares) == (set(every_game()) if name == "champion" else {"classic"})


def test_a_file_sets_the_keys_it_names_and_no_others(tmp_path: Path) -> None:
    config = load_config(written(tmp_path, "decisions: 5000\nhidden: [8, 4]\n"))
    assert config == PolicyIterationConfig.of(decisions=5000, hidden=[8, 4])


def test_rules_on_the_command_line_replace_the_games_of_a_recipe() -> None:
    assert load_config("champion", {"rules": "short"}).shares == {"short": 1.0}
    assert set(load_config("champion", {"rules": "short", "games": "{tiny: 1}"}).shares) == {"tiny"}


@pytest.mark.parametrize("text", ["", "# nothing but a comment\n", "---\n"])
def test_an_empty_file_is_the_defaults(tmp_path: Path, text: str) -> None:
    assert load_config(written(tmp_path, text)) == PolicyIterationConfig.of()


def test_the_command_line_overrides_the_file(tmp_path: Path) -> None:
    path = written(tmp_path, "decisions: 5000\nseed: 3\n")
    config = load_config(str(path), {"decisions": "7_000", "hidden": "[32, 16]", "opponents": "{self: 1, greedy: 0.5}"})
    assert (config.decisions, config.seed, config.hidden) == (7000, 3, [32, 16])
    assert config.opponents == {"self": 1.0, "greedy": 0.5}


def test_a_file_but_not_a_folder_takes_precedence_over_a_recipe(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    recipe = load_config("quickstart")
    (tmp_path / "quickstart").mkdir()
    assert load_config("quickstart") == recipe
    (tmp_path / "quickstart").rmdir()
    written(tmp_path, "seed: 77\n", "quickstart")
    assert load_config("quickstart").seed == 77


@pytest.mark.parametrize(
    ("key", "text", "value"),
    [
        ("decisions", "1e6", 1_000_000),
        ("decisions", "1_000_000", 1_000_000),
        ("decisions", "3000.0", 3000),
        ("learning_rate", "1e-3", 0.001),
        ("learning_rate", "1", 1.0),
        ("hidden", "[1e1, 20]", [10, 20]),
        ("rules", "classic:hand=10,stock=32", "classic:hand=10,stock=32"),
        ("opponents", "{pool: 1e-1, self: 2}", {"pool": 0.1, "self": 2.0}),
        ("seed", "4294967295", 2**32 - 1),
    ],
)
def test_values_are_converted_to_the_type_of_their_key(tmp_path: Path, key: str, text: str, value: Any) -> None:
    from_file = load_config(written(tmp_path, f"{key}: {text}\n")).to_dict()[key]
    from_command_line = load_config(written(tmp_path, ""), {key: text}).to_dict()[key]
    assert from_file == from_command_line == value
    assert type(from_file) is type(value)


def test_settings_read_back_from_their_yaml(tmp_path: Path) -> None:
    config = tiny_config(opponents={"self": 0.5, "random": 0.25, "pool": 0.25}, learning_rate=3e-7)
    text = config.to_yaml()
    assert load_config(written(tmp_path, text)) == config
    assert list(yaml.safe_load(text)) == list(config_fields(SB3Config))


WRONG_VALUES = [
    ("decisions", "many", "must be an integer, got 'many'"),
    ("decisions", "1.5", "must be an integer, got 1.5"),
    ("decisions", "true", "must be an integer, got True"),
    ("decisions", "null", "must be an integer, got None"),
    ("decisions", ".nan", "must be an integer, got nan"),
    ("decisions", "2020-01-13", "must be an integer, got"),
    ("decisions", "0", "must be an integer from 1 to 1000000000000, got 0"),
    ("decisions", "1e13", "must be an integer from 1 to 1000000000000, got 10000000000000"),
    ("batch_size", "1", "must be an integer from 2 to 1000000000000, got 1"),
    ("batch_size", "51", "the last batch of num_envs * num_steps = 256 decisions holds more than one, got 51"),
    ("seed", "4294967296", "must be an integer from 0 to 4294967295, got 4294967296"),
    ("threads", "1000000", "must be an integer from 0 to 1024, got 1000000"),
    ("learning_rate", "fast", "must be a number, got 'fast'"),
    ("learning_rate", "0", "must be a number > 0, got 0.0"),
    ("learning_rate", ".inf", "must be a number, got"),
    ("ent_coef", "-1", "must be a number >= 0, got -1.0"),
    ("hidden", "wide", "must be a list of integers, as [256, 256], got"),
    ("hidden", "[]", "at least one layer"),
    ("hidden", "[16, 0]", "at least one layer, each from 1"),
    ("reward", "margn", "unknown reward 'margn': did you mean 'margin'? allowed: margin, win, points"),
    ("rules", "classic:hnd=3", "unknown rules field 'hnd': did you mean 'hand'?"),
    ("rules", "5", "must be a name, got 5"),
    ("opponents", "self", "must be a mapping of names to shares, as {self: 0.8, heuristic: 0.2}, got 'self'"),
    ("opponents", "{self: 0}", "must be names with shares > 0, got"),
    ("opponents", "{self: much}", "a mapping of names to shares"),
    ("opponents", "{slef: 1}", "unknown agent in opponents 'slef': did you mean 'self'? allowed: self, pool, random"),
    ("opponents", "{'random:luck=1': 1}", "'luck'"),
    ("opponents", "{'checkpoint:absent.st': 1}", "opponents: checkpoint 'absent.st': No such file"),
    ("opponents", "{'checkpoint:mine.safetensors': 1}", "opponents: agent 'mine' was trained for 'classic' and"),
    ("evaluate_against", "[]", "must be a list of at least one agent, got []"),
    ("evaluate_against", "[pool]", "unknown agent in evaluate_against 'pool'"),
]  # fmt: skip


@pytest.mark.usefixtures("classic_agent")
@pytest.mark.parametrize(("key", "text", "expected"), WRONG_VALUES)
def test_a_wrong_value_is_refused_with_its_key_and_source(tmp_path: Path, key: str, text: str, expected: str) -> None:
    base = {**SETTINGS, "num_envs": 16, "num_steps": 16}
    base_file = written(tmp_path, yaml.safe_dump(base), "base.yaml")
    wrong_file = written(tmp_path, yaml.safe_dump({k: v for k, v in base.items() if k != key}) + f"{key}: {text}\n")
    in_file = refusal(wrong_file)
    assert in_file.startswith(f"{wrong_file}: ")
    on_command_line = refusal(base_file, {key: text})
    assert on_command_line.startswith("command line: ")
    for message in (in_file, on_command_line):
        assert key in message
        assert expected in message


def test_the_command_line_can_correct_a_wrong_value(tmp_path: Path) -> None:
    assert load_config(written(tmp_path, "learning_rate: -2\n"), {"learning_rate": "1"}).learning_rate == 1


@pytest.mark.parametrize(
    ("key", "text", "expected"),
    [
        ("hidden", "64,64", [64, 64]),
        ("hidden", "64, 1_28", [64, 128]),
        ("value_hidden", "32", [32]),
        ("evaluate_against", "random", ["random"]),
        ("evaluate_against", "random,heuristic+exact", ["random", "heuristic+exact"]),
        (
            "evaluate_against",
            "small:temperature=1,endgame=exact,random",
            ["small:temperature=1,endgame=exact", "random"],
        ),
    ],
)
def test_a_list_on_the_command_line_needs_no_brackets(key: str, text: str, expected: list[Any]) -> None:
    assert load_config("quickstart", {key: text}).to_dict()[key] == expected


@pytest.mark.parametrize(
    ("overrides", "suit_layers"),
    [
        ({"hidden": "64,64"}, 0),
        ({"value_hidden": "64"}, 0),
        ({"hidden": "8,8,8", "value_hidden": "8,8,8"}, 1),
        ({"hidden": "8,8,8,8,8"}, 2),
    ],
)
def test_a_smaller_network_on_the_command_line_needs_no_second_setting(
    overrides: dict[str, str], suit_layers: int
) -> None:
    assert load_config("quickstart", overrides).to_dict()["suit_layers"] == suit_layers
    with pytest.raises(ValueError, match="too short for suit_layers: 3"):
        load_config("quickstart", {**overrides, "suit_layers": "3"})


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("decisons: 5\n", "unknown key 'decisons': did you mean 'decisions'? allowed: trainer, rules, seed"),
        ("zzz: 5\n", "unknown key 'zzz': allowed: trainer, rules, seed"),
        ("5: 5\n", "unknown key '5': allowed"),
        ("seed: 1\nrows: [1, 2\n", "line 3"),
        ("seed: 1\n\tsteps: 2\n", "line 2"),
        ("- seed\n- 1\n", "must be a mapping of keys to values, got list"),
        ("seed: !!python/object/apply:os.getcwd []\n", "line 1"),
    ],
)
def test_a_file_without_a_mapping_is_refused_with_the_line(tmp_path: Path, text: str, expected: str) -> None:
    path = written(tmp_path, text)
    message = refusal(path)
    assert message.startswith(str(path))
    assert expected in message


@pytest.mark.parametrize("text", ["[1", "{", "2020-13-45", "a: b: c", "'"])
def test_invalid_yaml_on_the_command_line_is_refused(tmp_path: Path, text: str) -> None:
    assert refusal(written(tmp_path, ""), {"seed": text}) == f"command line: seed: {text!r} is not a YAML value"


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("quikstart", "unknown configuration (no such file) 'quikstart': did you mean 'quickstart'? allowed: "),
        ("absent/mine.yaml", "unknown configuration (no such file) 'absent/mine.yaml': allowed: champion, "),
        ("folder", "'folder' cannot be read: Is a directory"),
        ("file/below.yaml", "'file/below.yaml' cannot be read: Not a directory"),
        ("bytes.yaml", "'bytes.yaml' cannot be read: 'utf-8' codec can't decode"),
        ("", "cannot be read: "),
    ],
)  # fmt: skip
def test_a_file_that_cannot_be_read_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, source: str, expected: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    written(tmp_path, "", "file")
    (tmp_path / "bytes.yaml").write_bytes(b"\xff\xfe\x00seed")
    assert expected in refusal(source)


def test_a_recipe_is_for_the_trainer_that_it_names(tmp_path: Path) -> None:
    assert type(load_config("sb3")) is SB3Config
    assert load_config(written(tmp_path, "trainer: policy_iteration\n")) == PolicyIterationConfig.of()
    assert load_config(written(tmp_path, "trainer: sb3\n")) == SB3Config.of()


def test_the_command_line_may_change_the_trainer(tmp_path: Path) -> None:
    config = load_config(written(tmp_path, "seed: 4\n"), {"trainer": "policy_iteration", "stock_rotations": "3"})
    assert config == PolicyIterationConfig.of(seed=4, stock_rotations=3)


def test_settings_of_policy_iteration_read_back(tmp_path: Path) -> None:
    config = small_config(value_lambda=0.25, games={"tiny": 1.0})
    assert load_config(written(tmp_path, config.to_yaml())) == config
    assert list(yaml.safe_load(config.to_yaml())) == list(config_fields(PolicyIterationConfig))


@pytest.mark.parametrize(
    ("key", "text", "expected"),
    [
        ("trainer", "policy_iterations", "unknown trainer 'policy_iterations': did you mean 'policy_iteration'?"),
        ("trainer", "[sb3]", "unknown trainer"),
        ("inputs", "all", "unknown inputs 'all': allowed: observation, universal"),
        ("init", "absent.safetensors", "init: unknown network or file 'absent.safetensors'"),
        ("lookahead", "0", "lookahead must be an integer from 1 to 52, got 0"),
        ("stock_rotations", "0", "stock_rotations must be an integer from 1 to 52, got 0"),
        ("value_lambda", "1.5", "value_lambda must be a number from 0 to 1, got 1.5"),
        ("value_hidden", "[]", "value_hidden must be a list of at least one layer"),
        ("ema_horizon", "-1", "ema_horizon must be an integer from 0 to 1000000000000, got -1"),
        ("processes", "0", "processes must be an integer from 1 to 1024, got 0"),
        ("ent_coef", "1", "ent_coef: only trainer: sb3 has this setting, and this is policy_iteration"),
    ],
)
def test_a_wrong_value_of_policy_iteration_is_refused(tmp_path: Path, key: str, text: str, expected: str) -> None:
    message = refusal(written(tmp_path, yaml.safe_dump(SMALL_SETTINGS)), {key: text})
    assert message.startswith("command line: ")
    assert expected in message


def test_a_runs_config_loads_without_its_init_network(tmp_path: Path) -> None:
    config = small_config(init="gone.safetensors")
    assert load_config(written(tmp_path, config.to_yaml())) == config


def test_init_sets_the_sizes_unless_they_are_given(tmp_path: Path) -> None:
    def hidden(text: str, overrides: dict[str, str] | None = None) -> list[int]:
        return load_config(written(tmp_path, f"trainer: policy_iteration\n{text}"), overrides).hidden

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
    with pytest.raises(ValueError, match=r"init: unknown network or file 'champio': did you mean 'champion'\?"):
        load_config("quickstart", {"init": "champio"})
