"""The environment of messages."""

from __future__ import annotations

import re
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pytest
from gymnasium.error import ResetNeeded

import german_whist as gw
from german_whist.agents.judge import advise, judge_action
from german_whist.envs.gymnasium_env import GermanWhistEnv
from german_whist.game.actions import action_text
from german_whist.game.cards import card_text, cards_of
from tests.envs.scripted_models import Model, follows_suit, learns_from_refusals, measure, reads_the_list
from tests.redeal import Redeal


class Scripted:
    """Plays given actions in order."""

    def __init__(self, actions: list[int]) -> None:
        self.actions = iter(actions)

    def act(self, decisions: gw.Decisions) -> npt.NDArray[np.int64]:
        return np.array([next(self.actions)])


def play_on(env: gw.TextEnv, rng: np.random.Generator) -> tuple[list[str], float, dict[str, Any]]:
    """Answer with random legal actions to the end; return the answers, the sum of rewards and the last info."""
    answers, total, terminated, info = [], 0.0, False, {}
    while not terminated:
        answers.append(str(rng.choice(env.legal)))
        _, reward, terminated, truncated, info = env.step(f"[{answers[-1]}]")
        assert (info["action"], info["illegal"], truncated) == (answers[-1], False, False)
        total += reward
    return answers, total, info


def test_seed_and_address_choose_the_deal() -> None:
    env, again = gw.TextEnv(opponent="random"), gw.TextEnv(opponent="random")
    dealt = [env.reset(seed=7), env.reset(), env.reset()]
    assert len({message for message, _ in dealt}) == 3
    assert [info for _, info in dealt] == [{"action": None, "illegal": False, "stage": "foreplay"}] * 3
    assert dealt == [again.reset(seed=7), again.reset(), again.reset()]
    assert again.reset(options={"deal": (7, 1)}) == dealt[1]
    found = play_on(env, np.random.default_rng(0))
    assert found == play_on(_at(again, (7, 2)), np.random.default_rng(0))
    assert found[1] == (np.sign(found[2]["margin"]) + 1) / 2


def _at(env: gw.TextEnv, deal: tuple[int, int]) -> gw.TextEnv:
    env.reset(options={"deal": deal})
    return env


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("game", ["classic", "draft", "open_stock", "no_trump", "humbug"])
def test_hidden_cards_are_hidden(game: str, seat: Literal[0, 1]) -> None:
    redeal = Redeal(game, seed=4, seat=seat, steps=14, attempts=24)
    dealer, size = int(redeal.course.states["dealer"][0]), len(redeal.course.rules.cards)
    decks = [state["deck"][:size].tolist() for state in redeal.others.states]
    actors = []
    for (course, _), _ in zip(redeal.steps(), redeal.actions, strict=False):
        actors.append(int(course.turn[0]))
    acts = list(zip(redeal.actions, actors, strict=True))
    heard = set()
    for deck in decks:
        env = gw.TextEnv(game, Scripted([action for action, actor in acts if actor != seat]), seat=seat)
        messages = [env.reset(seed=0, options={"deck": deck, "dealer": dealer})[0]]
        for action in [action for action, actor in acts if actor == seat][:-1]:  # then the script may be at its end
            messages.append(env.step(action_text(action, env.rules))[0])
        heard.add("\n".join([*messages, env.prompt()]))
    assert len(decks) > 1
    assert len(heard) == 1


def test_shown_cards_are_told_and_hidden_ones_exist() -> None:
    humbug = gw.TextEnv("humbug:trump=none", "random", seat=0)
    assert (
        "ace of spades" in humbug.reset(seed=0, options={"deck": " ".join(map(card_text, range(52))), "dealer": 0})[0]
    )
    env = gw.TextEnv("tiny:open_stock=2", "greedy", seat=1)
    told = 0
    for seed in range(4):
        (prompt, _), terminated = env.reset(seed=seed), False
        while not terminated:
            if "hidden card" in prompt:
                assert "stock 4" in prompt  # both cards lie face up in the second of two tricks for cards
                told += 1
            prompt, _, terminated, _, _ = env.step(env.legal[0])
    assert told


@pytest.mark.parametrize(
    ("settings", "penalty", "lost"),
    [
        ({"reward": "win"}, 0.0, 0.0),
        ({"reward": "margin"}, 0.0, -13.0),
        ({"reward": "regret"}, 14.0, -27.0),
        ({"reward": "regret", "illegal_penalty": 0}, 0.0, -13.0),
        ({"reward": "win", "illegal_penalty": 0.25}, 0.25, -0.25),
    ],
)
def test_three_illegal_answers_lose(settings: dict[str, Any], penalty: float, lost: float) -> None:
    env = gw.TextEnv(**settings, seat=0)
    env.reset(seed=1)  # the opponent leads a card
    hand = set(env.legal)
    foreign = next(card_text(card) for card in range(52) if not int(env.view["hand"][0]) >> card & 1)
    revoke = next(card_text(card) for card in cards_of(int(env.view["hand"][0])) if card_text(card) not in hand)
    for answer, read, reason in [(foreign, foreign, "You do not hold"), ("no idea", None, "Your answer gives no card")]:
        message, paid, terminated, truncated, info = env.step(answer)
        assert message.startswith(reason)
        assert all(card in message for card in hand)
        assert (paid, terminated, truncated, info["illegal"], info["action"]) == (-penalty, False, False, True, read)
        assert set(env.legal) == hand
    _, paid, terminated, truncated, info = env.step(revoke)
    assert (paid, terminated, truncated, info["illegal"], info["margin"]) == (lost, True, False, True, -13)
    assert env.step(foreign)[1:4] == (0.0, True, False)


@pytest.mark.parametrize("game", ["classic", "draft", "open_stock:open_stock=2", "humbug"])
def test_legal_cards_are_not_listed(game: str) -> None:
    env, listing = (gw.TextEnv(game, "random", seat=0, list_legal=listed) for listed in (False, True))
    rng, following, refused = np.random.default_rng(0), set(), 0
    for seed in range(6):
        message, _ = env.reset(seed=seed)
        listing.reset(seed=seed)
        terminated = False
        while not terminated:
            question, listed = (one.prompt().split("\n\n")[-1] for one in (env, listing))
            cards, view = {name for name in env.legal if name.isupper()}, env.view[0]
            assert listing.legal == env.legal
            assert cards_in(listed) >= cards
            assert not cards_in(question)
            assert message.endswith(question)
            if view["led"] >= 0 and view["tricks_self"].sum() + view["tricks_opponent"].sum() > 3:
                following.add(question)
            answer = str(rng.choice([*env.legal, "no idea", card_text(int(rng.integers(52)))]))
            message, *paid, info = env.step(answer)
            assert (*paid, info) == listing.step(answer)[1:]
            if info["illegal"]:
                refused += 1
                assert not cards_in(message) & cards - {"SA"}  # a refusal's example names no other card
                message = env.prompt()
            terminated = paid[1]
    assert refused > 3
    assert len(following) == 1  # nor whether the hand can follow suit


@pytest.mark.parametrize(
    ("model", "illegal_by_list"),
    [(follows_suit, (False, False)), (reads_the_list, (True, False)), (learns_from_refusals, (True, True))],
)
def test_scripted_models_play_deals(model: Model, illegal_by_list: tuple[bool, bool]) -> None:
    results = [measure(model, list_legal=list_legal, deals=3, worlds=1) for list_legal in (False, True)]
    assert tuple(result.illegal > 0 for result in results) == illegal_by_list
    assert (results[0].lost, results[1].lost) == (3 if model is reads_the_list else 0, 0)
    assert (results[0] == results[1]) == (model is not reads_the_list)


def cards_in(text: str) -> set[str]:
    return set(re.findall(r"\b[CDHS][2-9TJQKA]\b", text))


@pytest.mark.parametrize("game", ["classic", "small_all"])
def test_regret_in_endgame_is_exact(game: str) -> None:
    env, rng, checked = gw.TextEnv(game, "random", reward="regret", worlds=1), np.random.default_rng(3), []
    env.reset(seed=3)
    terminated = False
    while not terminated:
        view, action = env.view[0], str(rng.choice(env.legal))
        _, reward, terminated, _, info = env.step(action)
        if info["stage"] == "endgame" and view["led"] < 0:
            hands = view["hand"], view["unseen"] | view["opponent_known"]
            values = gw.solve_endgames(
                *(np.array([hand], np.uint64) for hand in hands), trumps=int(view["trump"]), by_card=True
            )[0]
            checked.append((reward, float(values[gw.card(action)] - values.max())))
    assert len(checked) > 3
    assert min(expected for _, expected in checked) < 0
    for reward, expected in checked:
        assert reward == pytest.approx(expected)


def test_regret_in_foreplay_is_that_of_the_judge() -> None:
    env, found = gw.TextEnv(reward="regret", worlds=8), []
    env.reset(seed=6)
    twin = GermanWhistEnv("heuristic", observation="both")
    seen, _ = twin.reset(seed=6)
    for _ in range(8):
        advice = advise(gw.Decisions(env.view, env.rules, histories=(seen["history"][None], seen["length"])), 8)[0]
        place = (0, -1)[len(found) % 2]
        _, reward, _, _, info = env.step(card_text(advice.actions[place]))
        seen = twin.step(advice.actions[place])[0]
        assert info["stage"] == "foreplay"
        assert reward == pytest.approx(-judge_action(advice, advice.actions[place]).tricks)
        found.append(reward)
    assert min(found) < -0.3


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"reward": "regrets"}, "did you mean 'regret'"),
        ({"seat": 2}, "seat .* 2"),
        ({"worlds": 0}, "worlds .* 0"),
        ({"illegal_penalty": -1.0}, "illegal_penalty .* -1.0"),
    ],
)
def test_bad_arguments_are_refused(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        gw.TextEnv(**arguments)


def test_calls_out_of_order_are_refused() -> None:
    env = gw.TextEnv()
    with pytest.raises(ResetNeeded):
        env.step("SA")
    with pytest.raises(ResetNeeded):
        env.prompt()
    env.reset(seed=1)
    prompt = env.prompt()
    with pytest.raises(ValueError, match="did you mean 'deal'"):
        env.reset(options={"deals": (0, 1)})
    with pytest.raises(ValueError, match=r"answer .* 5"):
        env.step(5)  # type: ignore[arg-type]
    assert env.prompt() == prompt
