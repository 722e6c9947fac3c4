"""The page of model cards: the metadata that model hubs read, and the digests of the files."""

from __future__ import annotations

import hashlib
from typing import Any

import pytest
import yaml

from german_whist.agents.pretrained import PretrainedNetwork, pretrained_networks, weights_folder
from german_whist.envs.engine.rules import rule_names, rules
from german_whist.registration import GYMNASIUM_ID
from tools.model_cards import front_matter, hub_page, page

NETWORKS = pretrained_networks()


def metadata() -> dict[str, Any]:
    start, block, rest = hub_page().split("---\n", 2)
    assert start == ""
    assert rest.strip() == page().strip()
    fields: dict[str, Any] = yaml.safe_load(block)
    return fields


def test_the_page_of_a_model_hub_begins_with_its_metadata() -> None:
    fields = metadata()
    assert fields["license"] == "mit"
    assert fields["library_name"] == "german-whist"
    assert fields["pipeline_tag"] == "reinforcement-learning"
    assert "reinforcement-learning" in fields["tags"]
    assert [entry["name"] for entry in fields["model-index"]] == [network.name for network in NETWORKS]


@pytest.mark.parametrize("network", NETWORKS, ids=lambda network: network.name)
def test_the_results_are_those_of_the_card_with_their_intervals(network: PretrainedNetwork) -> None:
    (entry,) = [entry for entry in metadata()["model-index"] if entry["name"] == network.name]
    games = [result["dataset"]["config"] for result in entry["results"]]
    assert sorted(games) == [name for name in sorted(rule_names()) if not rules(name).humbug]
    for game, result in zip(games, entry["results"], strict=True):
        assert result["task"]["type"] == "reinforcement-learning"
        assert result["dataset"] == {"type": GYMNASIUM_ID, "name": f"German Whist ({game})", "config": game}
        metrics = {metric["name"]: metric for metric in result["metrics"]}
        assert not any("network to the end" in name for name in metrics)
        is_own = game == "classic"
        for opponent in ("random+exact", "heuristic+exact", "heuristic") if is_own else ("heuristic+exact",):
            measured = network.model_card["results"][opponent if is_own else f"{opponent}, {game}"]
            assert_is_metric(metrics[f"win rate against {opponent}"], measured, "win_rate", "interval")
            assert_is_metric(metrics[f"margin against {opponent}"], measured, "margin", "margin_interval")


def assert_is_metric(metric: dict[str, Any], result: dict[str, Any], kind: str, interval: str) -> None:
    mean, half = map(float, metric["value"].split(" +/- "))
    low, high = result[interval]
    assert metric["type"] == kind
    assert mean == pytest.approx(result[kind], abs=6e-4)
    assert half == pytest.approx((high - low) / 2, abs=6e-4)
    assert (metric["args"]["low"], metric["args"]["high"]) == pytest.approx((low, high), abs=6e-5)
    assert metric["args"]["deals"] == result["deals"]
    assert metric["args"]["confidence"] == 0.95


@pytest.mark.parametrize("network", NETWORKS, ids=lambda network: network.name)
def test_the_page_has_the_sha_256_of_each_file(network: PretrainedNetwork) -> None:
    data = (weights_folder() / f"{network.name}.safetensors").read_bytes()
    assert f"\n{hashlib.sha256(data).hexdigest()}  {network.name}.safetensors\n" in page()  # as sha256sum writes it


def test_a_network_with_a_single_deal_or_no_results_has_metadata_too() -> None:
    model_card = {**NETWORKS[0].model_card, "results": {}}
    fields = yaml.safe_load(front_matter((NETWORKS[0]._replace(model_card=model_card),)).strip("-\n"))
    assert fields["model-index"][0]["results"][0]["metrics"] == []
    found = NETWORKS[0].model_card["results"]["random+exact"]
    result = {**found, "interval": None, "margin_interval": (None, None)}
    model_card["results"] = {"random+exact": result}
    fields = yaml.safe_load(front_matter((NETWORKS[0]._replace(model_card=model_card),)).strip("-\n"))
    assert [metric["value"] for metric in fields["model-index"][0]["results"][0]["metrics"]] == [
        f"{found['win_rate']:.3f}",
        f"{found['margin']:.3f}",
    ]
