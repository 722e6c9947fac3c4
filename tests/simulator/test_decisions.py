"""Decisions: what an agent is asked, made when it is read, until the deals move on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import german_whist as gw
from german_whist.game.agent_rng import AgentRng
from german_whist.simulator.episode import Episode
from german_whist.simulator.episodes import Episodes
from tests.players import play_randomly

PARTS = ("views", "observations", "action_masks", "histories", "game_ids", "rng")


def played(rules: str = "classic", size: int = 12, steps: int = 9, **settings: Any) -> gw.DealBatch:
    batch = gw.DealBatch(rules, size, seed=4, history=True, **settings)
    play_randomly(batch, np.random.default_rng(4), steps)
    return batch


def some_episodes(size: int = 12, seed: int = 3) -> Episodes:
    episodes = Episodes("tiny", size, history=True)
    episodes.reset(seed)
    return episodes


def equal(found: Any, expected: Any) -> bool:
    return all(map(np.array_equal, found, expected)) if isinstance(found, tuple) else np.array_equal(found, expected)


# What they hold.


@pytest.mark.parametrize("rules", ["classic", "draft", "humbug"])
def test_batch_makes_decisions_of_its_rows(rules: str) -> None:
    batch = played(rules)
    decisions = batch.decisions()
    assert len(decisions) == 12
    assert equal(decisions.rows, np.arange(12))
    assert equal(decisions.views, batch.views())
    assert equal(decisions.observations, batch.observe())
    assert equal(decisions.action_masks, batch.action_mask() == 1)
    assert decisions.observations.dtype == np.int8
    assert decisions.action_masks.dtype == np.bool_
    assert equal(decisions.histories, batch.history())
    assert decisions.has_histories
    ours = gw.Decisions(batch.views(), rules)
    assert equal(ours.observations, decisions.observations)
    assert equal(ours.action_masks, decisions.action_masks)
    assert ours.rows is None


def test_made_when_read_and_kept() -> None:
    calls: list[str] = []

    def noted(name: str, value: Any) -> Callable[..., Any]:
        def make(*_: Any) -> Any:
            calls.append(name)
            return value

        return make

    batch = played()
    histories, ids = noted("histories", batch.history()), noted("ids", np.array([object() for _ in range(12)]))
    decisions = gw.Decisions(batch.views(), histories=histories, game_ids=ids)
    part, canonical = decisions[[1, 2]], decisions.canonical()
    assert decisions.has_histories
    assert part.has_histories
    assert calls == []
    for one in (decisions, part, canonical):
        assert one.histories is one.histories
        assert one.game_ids is one.game_ids
        assert one.observations is one.observations
        assert one.action_masks is one.action_masks
    assert sorted(calls) == ["histories", "ids"]
    rng = noted("rng", np.random.default_rng(0))
    asked = batch.decisions(rng=rng)
    assert len(calls) == 2
    assert asked.rng is asked[[1]].rng
    assert calls[2:] == ["rng"]


def test_finished_rows_are_left_out() -> None:
    batch = gw.DealBatch("tiny", 4, seed=1)
    play_randomly(batch, np.random.default_rng(1))
    batch.deal_rows([1, 3], [7, 8])
    decisions = batch.decisions()
    assert equal(decisions.rows, [1, 3])
    assert equal(decisions.views, batch.views([1, 3]))
    assert equal(batch.decisions([3, 0, 1]).rows, [3, 1])
    assert len(batch.decisions([0, 2])) == 0
    batch.step(decisions.action_masks.argmax(axis=1), decisions.rows)
    with pytest.raises(ValueError, match=r"rows .* 4"):
        batch.decisions([4])


def test_rows_are_told_to_the_callers_numbers() -> None:
    batch = gw.DealBatch("tiny", 4)
    decisions = batch.decisions([3, 1], lambda rows: AgentRng(7, rows))
    assert equal(decisions.rng.random(), AgentRng(7, [3, 1]).random())


def test_game_ids_are_of_a_seat_in_a_deal() -> None:
    batch = gw.DealBatch("tiny", 3)
    seen: dict[Any, tuple[int, int]] = {}
    for _ in range(3):
        decisions = batch.decisions()
        for row, game in zip(decisions.rows.tolist(), decisions.game_ids, strict=True):
            assert seen.setdefault(game, (row, int(batch.turn[row]))) == (row, int(batch.turn[row]))
        batch.step(decisions.action_masks.argmax(axis=1))
    assert len(seen) == 6
    batch.deal_rows([1], [9])
    assert batch.decisions([1]).game_ids[0] not in seen
    assert batch.decisions([2]).game_ids[0] in seen


# After the deals have moved.


def batch_moves(move: str) -> tuple[gw.Decisions, Callable[[], Any]]:
    batch = played("tiny", size=2, steps=1)
    saved, lowest = batch.get_state(), batch.action_mask().argmax(axis=1)
    moves: dict[str, Callable[[], Any]] = {
        "step": lambda: batch.step(lowest),
        "deal_rows": lambda: batch.deal_rows([1], [4]),
        "set_state": lambda: batch.set_state(saved),
        "reset": lambda: batch.reset(5),
    }
    return batch.decisions(rng=lambda rows: AgentRng(1, rows)), moves[move]


def episodes_move(start: bool = False) -> tuple[gw.Decisions, Callable[[], Any]]:
    episodes = some_episodes(2)
    rows, lowest = episodes.every_row, episodes.batch.action_mask().argmax(axis=1)
    return episodes.decisions(rows), lambda: episodes.start_next(rows) if start else episodes.step(rows, lowest)


def episode_moves(start: bool = False) -> tuple[gw.Decisions, Callable[[], Any]]:
    episode = Episode("tiny", history=True)
    episode.reset(1)
    decisions, lowest = episode.decisions(), episode.batch.action_mask().argmax(axis=1)
    return decisions, episode.reset if start else lambda: episode.step(decisions.rows, lowest)


MOVES: dict[str, Callable[[], tuple[gw.Decisions, Callable[[], Any]]]] = {
    **{f"batch {move}": lambda move=move: batch_moves(move) for move in ("step", "deal_rows", "set_state", "reset")},  # type: ignore[misc]
    "episodes step": episodes_move,
    "episodes start": lambda: episodes_move(start=True),
    "episode step": episode_moves,
    "episode start": lambda: episode_moves(start=True),
}


@pytest.mark.parametrize("moves", MOVES.values(), ids=MOVES)
def test_what_was_not_read_raises_after_a_move(moves: Callable[[], tuple[gw.Decisions, Callable[[], Any]]]) -> None:
    for part in PARTS:
        decisions, move = moves()
        read = getattr(decisions, part)
        late, unread = moves()
        rows = late[:]
        move()
        assert getattr(decisions, part) is read
        _ = unread()
        for one in (late, rows):
            with pytest.raises(RuntimeError):
                getattr(one, part)


# Parts.

ROWS: dict[str, Any] = {
    "int": np.array([5, 0, 7]),
    "bool": np.arange(12) % 3 == 1,
    "slice": slice(2, 9, 2),
    "list": [11, 4],
    "none": [],
}


@pytest.mark.parametrize("rows", ROWS.values(), ids=ROWS)
def test_rows_of_decisions_are_those_of_the_whole(rows: Any) -> None:
    whole = played("draft").decisions()
    where = np.arange(12)[np.array(rows, np.int64) if isinstance(rows, list) else rows]
    part = whole[rows]
    assert len(part) == len(where)
    assert equal(part.rows, whole.rows[where])
    for name in ("views", "observations", "action_masks", "game_ids"):
        assert equal(getattr(part, name), getattr(whole, name)[where])
    assert equal(part.histories, tuple(column[where] for column in whole.histories))
    assert equal(part[::-1].views, part.views[::-1])
    assert equal(part.canonical().views, whole.canonical().views[where])


def test_no_number_is_drawn_twice() -> None:
    decisions = some_episodes().decisions(np.arange(12))
    drawn = [
        *decisions.rng.random(),
        *decisions[[3, 4]].rng.random(),
        *decisions.split([4, 5]).rng.random(),
        *decisions[[4]][[0]].rng.random(),
        *decisions.canonical().rng.random(),
        *decisions.rng.random(),
    ]
    assert len(set(drawn)) == len(drawn) == 12 + 2 + 2 + 1 + 12 + 12


def test_part_draws_what_it_would_alone() -> None:
    whole, alone = (some_episodes().decisions(rows) for rows in (np.arange(12), np.array([3, 4])))
    assert equal(whole[[3, 4]].rng.random(), alone.rng.random())


def test_by_deal_draws_numbers_per_deal() -> None:
    episodes = some_episodes()
    first = episodes.decisions(episodes.every_row)
    numbers = first.by_deal().random()
    assert equal(first.by_deal().random(), numbers)
    assert equal(first[[2, 7]].by_deal().random(), numbers[[2, 7]])
    split = first.split([2, 7]).by_deal().random()
    assert not set(split) & set(numbers)
    episodes.step(episodes.every_row, first.action_masks.argmax(axis=1))
    later = episodes.decisions(episodes.every_row)
    assert equal(later.by_deal().random(), numbers)
    assert equal(later.split([2, 7]).by_deal().random(), split)
    assert not set(later.rng.random()) & set(numbers)


# Canonical form.


@pytest.mark.parametrize("ranks", ["named", "live"])
@pytest.mark.parametrize("rules", ["classic", "draft"])
def test_canonical_decisions_have_canonical_views(rules: str, ranks: str) -> None:
    decisions = played(rules).decisions()
    seen = decisions.canonical(ranks)
    views, relabeling = gw.canonical_views(decisions.views, ranks)
    assert equal(seen.views, views)
    assert equal(seen.rows, decisions.rows)
    assert equal(seen.observations, gw.observe(views, rules))
    chosen = seen.action_masks.argmax(axis=1)
    assert equal(seen.decode(chosen), gw.decode_actions(chosen, relabeling))
    assert equal(seen.decode_values(seen.action_masks), decisions.action_masks)
    assert equal(decisions.decode(chosen), chosen)
    assert equal(decisions.decode_values(decisions.action_masks), decisions.action_masks)
    assert equal(seen[[3, 1]].decode(chosen[[3, 1]]), seen.decode(chosen)[[3, 1]])


def test_canonical_batch_makes_canonical_decisions() -> None:
    batch, true = (gw.DealBatch("small", 6, seed=2, history=True, canonical=canonical) for canonical in (True, False))
    while not batch.done.all():
        decisions, expected = batch.decisions(), true.decisions().canonical()
        assert equal(decisions.observations, batch.observe())
        assert equal(decisions.observations, expected.observations)
        assert equal(decisions.action_masks, batch.action_mask() == 1)
        assert equal(decisions.histories, batch.history())
        assert equal(decisions.histories, expected.histories)
        actions = decisions.action_masks.argmax(axis=1)
        true.step(expected.decode(actions), expected.rows)
        batch.step(actions, decisions.rows)
        assert equal(batch.states, true.states)


# On a device.


def test_on_host_copies_tensors() -> None:
    host = played("draft").decisions(rng=np.random.default_rng(0))
    assert host.on_host() is host
    tensors = gw.DealBatch("draft", 12, seed=4, history=True, device="cpu")
    for action in played("draft").log.actions[:, :9].T:  # type: ignore[union-attr]
        tensors.step(action)
    on_device = tensors.decisions(rng=np.random.default_rng(0))
    assert type(on_device.observations).__module__ == type(on_device.action_masks).__module__ == "torch"
    for ours, theirs in (
        (host, on_device),
        (host[[3, 1]], on_device[[3, 1]]),
        (host.canonical(), on_device.canonical()),
    ):
        back = theirs.on_host()
        assert back.backend.torch_device is None
        for name in ("rows", "views", "observations", "action_masks", "histories"):
            assert equal(getattr(back, name), getattr(ours, name))
        assert equal(theirs.observations.numpy(), ours.observations)
        assert equal(theirs.action_masks.numpy(), ours.action_masks)
        lowest = ours.action_masks.argmax(axis=1)
        assert equal(back.decode(lowest), ours.decode(lowest))
        assert equal(theirs.decode(theirs.backend.array(lowest)).numpy(), ours.decode(lowest))
    assert equal(on_device.on_host().rng.random(3), host.rng.random(3))


# Refusals.


def test_what_is_not_kept_raises() -> None:
    views = gw.DealBatch("classic", 3).views()
    alone, batch = gw.Decisions(views), gw.DealBatch("classic", 3).decisions(rng=AgentRng(1, range(3)))
    unkept: list[Callable[[], Any]] = [
        *(lambda one=one: one.histories for one in (alone, alone[[1]], alone.canonical(), batch, batch.canonical())),
        *(lambda one=one: one.game_ids for one in (alone, alone[[1]], alone.canonical())),
        *(lambda one=one: one.rng for one in (alone, alone[[1]], alone.canonical())),
        *(lambda one=one: one.by_deal() for one in (alone, batch, batch[[1]])),
    ]
    for read in unkept:
        with pytest.raises(ValueError, match=r"decisions|histories|positions"):
            read()
    assert not alone.has_histories
    assert not batch.has_histories


def test_other_views_are_refused() -> None:
    views = gw.DealBatch("classic", 3).views()
    for wrong in (views[0], views[:1].reshape(1, 1), gw.observe(views), None):
        with pytest.raises(ValueError, match="views must be a VIEW array"):
            gw.Decisions(wrong)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="clasic"):
        gw.Decisions(views, "clasic")


@pytest.mark.parametrize("use", [iter, list, np.asarray, lambda decisions: np.array([decisions])])
def test_decisions_are_no_array(use: Callable[[Any], Any]) -> None:
    with pytest.raises(TypeError):
        use(gw.DealBatch("tiny", 3).decisions())
