"""The update, beside plain arithmetic."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import torch

from german_whist.training.config.schema import PPOConfig
from german_whist.training.config.settings import ADAM, MUON
from german_whist.training.ppo.ppo import PPO
from german_whist.training.rollouts.collector import Rollout
from tests.training.ppo_runs import collector_of, own_config, some_policy


def played(strength: float = 30.0, **changes: Any) -> tuple[PPOConfig, PPO, Rollout]:
    config = own_config(**changes)
    collector = collector_of(config)
    ppo = some_policy(config, collector, strength)
    return config, ppo, collector.collect(ppo.policy)


def weights(ppo: PPO, kind: str) -> list[torch.Tensor]:
    return [weight.detach().clone() for name, weight in ppo.named_parameters() if name.startswith(kind)]


def log_softmax(logits: list[float], legal: list[bool]) -> list[float]:
    total = math.log(sum(math.exp(logit) for logit, allowed in zip(logits, legal, strict=True) if allowed))
    return [logit - total for logit in logits]


def test_losses_match_their_formulas() -> None:
    _, ppo, rollout = played(magnet=0.5, clip_coef=0.1)
    batch = ppo._decisions_of(rollout)
    batch["log_probs"] += torch.linspace(-0.4, 0.4, len(batch["log_probs"]))  # as if older weights had sampled them
    with torch.no_grad():
        for average in ppo.magnet.parameters():
            average.mul_(0.7)
        seen = rollout.features[:-1, :, : ppo.num_observations].flatten(0, 1)
        logits, magnet_logits = ppo.actor(seen), ppo.magnet(seen)
        values = ppo.critic(rollout.features[:-1].flatten(0, 1))[:, 0]
    sums = dict.fromkeys(("policy_loss", "value_loss", "entropy", "magnet_kl", "approx_kl", "clipfrac"), 0.0)
    for i in range(len(logits)):
        legal = batch["masks"][i].tolist()
        ours, theirs = log_softmax(logits[i].tolist(), legal), log_softmax(magnet_logits[i].tolist(), legal)
        log_ratio = ours[int(batch["actions"][i])] - float(batch["log_probs"][i])
        ratio, advantage = math.exp(log_ratio), float(batch["advantages"][i])
        sums["policy_loss"] -= min(ratio * advantage, min(max(ratio, 0.9), 1.1) * advantage)
        sums["value_loss"] += 0.5 * (float(values[i]) - float(batch["returns"][i])) ** 2
        for mine, other, allowed in zip(ours, theirs, legal, strict=True):
            if allowed:
                sums["entropy"] -= math.exp(mine) * mine
                sums["magnet_kl"] += math.exp(mine) * (mine - other)
        sums["approx_kl"] += ratio - 1 - log_ratio
        sums["clipfrac"] += abs(ratio - 1) > 0.1
    with torch.no_grad():
        losses = ppo._losses(batch)
    for name, total in sums.items():
        assert float(losses[name]) == pytest.approx(total / len(logits), rel=1e-4, abs=1e-6), name
    assert sums["magnet_kl"] > 0
    assert 0 < sums["clipfrac"] < len(logits)


def test_advantages_have_mean_0_and_deviation_1_and_returns_are_on_the_scale_of_values() -> None:
    _, ppo, rollout = played(gae_lambda=1.0, num_steps=60)
    batch = ppo._decisions_of(rollout)
    assert float(batch["advantages"].mean()) == pytest.approx(0, abs=1e-6)
    assert float(batch["advantages"].std(unbiased=False)) == pytest.approx(1, abs=1e-4)
    # Whole deals, no bootstrapping: what the first decision of row 0 returns is what its seat was paid in that deal.
    end = int(rollout.ends[:, 0].nonzero()[0])
    paid = rollout.rewards[: end + 1, 0, int(rollout.seats[0, 0])].sum()
    assert float(batch["returns"][0]) == pytest.approx(float(paid), abs=1e-5)


def test_decisions_of_opponents_are_left_out() -> None:
    _, ppo, rollout = played()
    rollout.learner_mask[:, 3:] = False
    batch = ppo._decisions_of(rollout)
    assert len(batch["actions"]) == 3 * rollout.actions.shape[0]
    assert torch.equal(batch["actions"], rollout.actions[:, :3].flatten())


def test_every_decision_is_in_one_minibatch_of_an_epoch_and_orders_differ() -> None:
    _, ppo, _ = played()
    parts = [ppo._minibatches(101, 4, epoch) for epoch in (0, 1)]
    for part in parts:
        assert sorted(torch.cat(part).tolist()) == list(range(101))
        assert [len(rows) for rows in part] == [26, 25, 25, 25]
    assert not torch.equal(torch.cat(parts[0]), torch.cat(parts[1]))


def test_learning_fits_values_and_raises_good_actions() -> None:
    _, ppo, rollout = played(num_envs=32, num_steps=32, epochs=8, learning_rate=5e-3, ent_coef=0.0)
    batch = ppo._decisions_of(rollout)
    with torch.no_grad():
        before = ppo._losses(batch)
    metrics = ppo.update(rollout, 0.0)
    with torch.no_grad():
        after = ppo._losses(batch)
    assert float(after["value_loss"]) < 0.8 * float(before["value_loss"])
    assert float(after["policy_loss"]) < float(before["policy_loss"]) - 0.02
    assert all(math.isfinite(value) for value in metrics.values())


def test_learning_rate_and_entropy_are_annealed() -> None:
    settings = {"learning_rate": 4e-3, "learning_rate_end": 0.0, "ent_coef": 0.2, "ent_coef_end": 0.1}
    _, ppo, rollout = played(**settings)
    for progress, rate, entropy in ((0.0, 4e-3, 0.2), (0.5, 2e-3, 0.15), (1.2, 0.0, 0.1)):
        metrics = ppo.update(rollout, progress)
        assert metrics["charts/learning_rate"] == pytest.approx(rate)
        assert metrics["charts/ent_coef"] == pytest.approx(entropy)


def test_entropy_and_magnet_regularise_the_policy() -> None:
    def moved(**changes: float) -> tuple[float, float]:
        settings = {"rules": "small", "num_envs": 32, "epochs": 8, "learning_rate": 5e-3, "magnet_decay": 1.0}
        _, ppo, rollout = played(300.0, **settings, **changes)
        ppo.update(rollout, 0.0)
        with torch.no_grad():
            losses = ppo._losses(ppo._decisions_of(rollout))
            log_policy, probabilities = ppo._policy_of(ppo.actor, ppo._decisions_of(rollout))
            log_magnet, _ = ppo._policy_of(ppo.magnet, ppo._decisions_of(rollout))
        return float(losses["entropy"]), float((probabilities * (log_policy - log_magnet)).sum(1).mean())

    free, entropic, held = moved(ent_coef=0.0), moved(ent_coef=1.0), moved(ent_coef=0.0, magnet=5.0)
    assert entropic[0] > free[0] + 0.05
    assert held[1] < 0.5 * free[1]


def test_the_magnet_is_the_moving_average_of_the_actor() -> None:
    _, ppo, rollout = played(magnet_decay=0.75, batch_size=128, epochs=1)
    before = weights(ppo, "actor")
    ppo.update(rollout, 0.0)
    for old, new, average in zip(before, weights(ppo, "actor"), ppo.magnet.parameters(), strict=True):
        torch.testing.assert_close(average, 0.75 * old + 0.25 * new)


def test_critic_warmup_trains_the_critic_alone() -> None:
    _, ppo, rollout = played()
    actor, critic = weights(ppo, "actor"), weights(ppo, "critic")
    ppo.update(rollout, 0.0, value_only=True)
    assert all(torch.equal(old, new) for old, new in zip(actor, weights(ppo, "actor"), strict=True))
    assert not any(torch.equal(old, new) for old, new in zip(critic, weights(ppo, "critic"), strict=True))


def test_the_actor_does_not_see_hidden_features() -> None:
    _, ppo, rollout = played(rules="small")
    batch = ppo._decisions_of(rollout)
    log_policy, _ = ppo._policy_of(ppo.actor, batch)
    values = ppo.values(batch["features"])
    batch["features"] = batch["features"].clone()
    batch["features"][:, ppo.num_observations :] = 1
    assert torch.equal(ppo._policy_of(ppo.actor, batch)[0], log_policy)
    assert not torch.equal(ppo.values(batch["features"]), values)


@pytest.mark.parametrize("optimizer", [ADAM, MUON])
def test_the_state_holds_all_that_the_next_update_depends_on(optimizer: str) -> None:
    config, ppo, rollout = played(magnet=0.1, optimizer=optimizer)
    ppo.update(rollout, 0.0)
    collector = collector_of(config)
    other = some_policy(config, collector, strength=2.0)
    other.load_state(ppo.state())
    for one in (ppo, other):
        one.update(rollout, 0.3)
    for name, tensor in ppo.state().items():
        assert torch.equal(tensor, other.state()[name]), name


@pytest.mark.parametrize(
    ("name", "tensor", "error"),
    [
        ("actor.layers.0.weight", None, KeyError),
        ("critic.layers.1.bias", torch.zeros(3), ValueError),
        ("optimizer.1.exp_avg", torch.zeros(3), ValueError),
        ("optimizer.2.step", None, KeyError),
        ("updates", None, KeyError),
    ],
)
def test_a_damaged_state_is_refused(name: str, tensor: torch.Tensor | None, error: type[Exception]) -> None:
    _, ppo, rollout = played()
    ppo.update(rollout, 0.0)
    state = ppo.state()
    del state[name]
    with pytest.raises(error, match=name.replace(".", r"\.")):
        ppo.load_state(state if tensor is None else {**state, name: tensor})


def test_values_do_not_depend_on_the_batch_size() -> None:
    _, ppo, rollout = played()
    np.testing.assert_allclose(ppo.values(rollout.features)[3, 2:5], ppo.values(rollout.features[3, 2:5]), rtol=1e-5)
