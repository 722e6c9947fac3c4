"""Settings that only our own trainer has, and which trainer a recipe is for."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from german_whist.agents.pretrained.catalog import find_network
from german_whist.training.config.load import config_fields, load_config
from german_whist.training.config.schema import PolicyIterationConfig, PPOConfig, SB3Config
from tests.agents.networks import some_network, suit_network
from tests.training.ppo_runs import OWN_SETTINGS, own_config


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "mine.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_recipe_is_for_the_trainer_that_it_names(tmp_path: Path) -> None:
    assert type(load_config("sb3")) is SB3Config
    assert type(load_config("ppo")) is PPOConfig
    assert load_config(written(tmp_path, "trainer: ppo\n")) == PPOConfig.of()
    assert load_config(written(tmp_path, "trainer: sb3\n")) == SB3Config.of()


def test_the_quickstart_learns_from_self_play_alone() -> None:
    config = load_config("quickstart")
    assert isinstance(config, PolicyIterationConfig)
    assert set(config.rollouts.opponents) <= {"self", "pool"}  # itself and past selves
    assert config.policy_iteration.value_start == 0  # no rollouts of the heuristic bot


def test_the_command_line_may_change_the_trainer(tmp_path: Path) -> None:
    config = load_config(written(tmp_path, "seed: 4\n"), {"trainer": "ppo", "magnet": "0.5"})
    assert config == PPOConfig.of(seed=4, magnet=0.5)


def test_settings_of_a_run_read_back(tmp_path: Path) -> None:
    config = own_config(magnet=0.25, critic_sees="view")
    assert load_config(written(tmp_path, config.to_yaml())) == config
    assert list(yaml.safe_load(config.to_yaml())) == list(config_fields(PPOConfig))


@pytest.mark.parametrize(
    ("key", "text", "expected"),
    [
        ("trainer", "pp0", "unknown trainer 'pp0': did you mean 'ppo'?"),
        ("trainer", "[sb3]", "unknown trainer"),
        ("endgame", "exct", "unknown endgame 'exct': did you mean 'exact'? allowed: played, exact"),
        ("critic_sees", "nothing", "unknown critic_sees 'nothing': allowed: all, view"),
        ("precision", "half", "unknown precision 'half': allowed: auto, float32, bfloat16"),
        ("critic_hidden", "[]", "critic_hidden: [] is not allowed: at least one layer"),
        ("critic_warmup", "-1", "critic_warmup: -1 is not allowed: a number from 0"),
        ("magnet", "-0.1", "magnet: -0.1 is not allowed: a number from 0"),
        ("magnet_decay", "1.5", "magnet_decay: 1.5 is not allowed: a number from 0 to 1"),
        ("init", "absent.safetensors", "init: checkpoint 'absent.safetensors': there is no such file"),
        ("num_envs", "0", "num_envs: 0 is not allowed: a number from 1"),
    ],
)
def test_a_wrong_value_is_refused(tmp_path: Path, key: str, text: str, expected: str) -> None:
    path = written(tmp_path, yaml.safe_dump(OWN_SETTINGS))
    with pytest.raises(ValueError, match=r"^command line: ") as caught:
        load_config(path, {key: text})
    assert expected in str(caught.value)
    assert "\n" not in str(caught.value)


def test_settings_of_another_trainer_are_refused_by_name(tmp_path: Path) -> None:
    path = written(tmp_path, "magnet: 0.5\n")
    with pytest.raises(ValueError, match=r"mine.yaml: magnet: only trainer: ppo has this setting, and this is sb3"):
        load_config(path)
    with pytest.raises(ValueError, match=r"^command line: endgame: only trainer: ppo has this setting"):
        load_config("sb3", {"endgame": "played"})


def test_a_runs_config_loads_without_its_init_network(tmp_path: Path) -> None:
    config = own_config(init="gone.safetensors")
    assert load_config(written(tmp_path, config.to_yaml())) == config


def test_init_sets_the_hidden_sizes_unless_they_are_given(tmp_path: Path) -> None:
    some_network(hidden=(16, 24)).save(tmp_path / "made.safetensors")
    recipe = tmp_path / "mine.yaml"
    recipe.write_text(f"trainer: ppo\ninit: {tmp_path / 'made.safetensors'}\n")
    assert load_config(recipe).network.hidden == [16, 24]
    assert load_config(recipe, {"hidden": "[8]"}).network.hidden == [8]
    recipe.write_text(f"trainer: ppo\nhidden: [8]\ninit: {tmp_path / 'made.safetensors'}\n")
    assert load_config(recipe).network.hidden == [8]
    champion = find_network("champion").sizes[1:-1]
    assert load_config(recipe, {"init": "champion"}).network.hidden == champion
    assert load_config(recipe, {"init": "champion", "hidden": "[9]"}).network.hidden == [9]
    suit_network(2).save(tmp_path / "suits.safetensors")
    shared = load_config("quickstart", {"init": str(tmp_path / "suits.safetensors")})
    assert isinstance(shared, PolicyIterationConfig)
    assert (shared.network.hidden, shared.network.suit_layers) == ([9, 7, 11, 10, 8, 5], 2)
    with pytest.raises(ValueError, match="init: checkpoint 'champio': there is no such file: did you mean"):
        load_config(recipe, {"init": "champio"})
