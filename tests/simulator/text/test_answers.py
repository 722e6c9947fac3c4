"""Answers in free text: which card or choice is read in them, and that no other is."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from german_whist.game.actions import action_text
from german_whist.game.cards import NUM_CARDS, card_text
from german_whist.game.rules import Rules, rules
from german_whist.simulator.text.answers import read_action

CLASSIC, DRAFT, HUMBUG = rules("classic"), rules("draft"), rules("humbug")
CARDS = (1 << NUM_CARDS) - 1  # a card is to be chosen
CHOICE = 3 << NUM_CARDS  # one of the two choices


def read(answer: str, legal: int = CARDS, game: Rules = CLASSIC) -> str | None:
    """Return what is read in an answer, ``None`` if it is refused."""
    try:
        return action_text(read_action(answer, legal, game), game)
    except ValueError:
        return None


GIVEN = {
    "SA": [
        # nothing else
        *("SA", "sa.", " *SA* ", "A♠", "Ace of Spades", "play s a", "(SA)", "```\nSA\n```"),
        *("I'll lead the ace of spades.", "I will play SA because HK is led."),
        # fields
        '{"action": "SA"}',
        '{"thought": "S7 would lose the trick", "action": "sa"}',
        '```json\n{"reasoning": "S7? No: \\"HK\\" beats it.", "action": "play SA"}\n```',
        '{"response": {"analysis": "S7 loses to HK", "play": {"card": "ace of spades"}}}',
        '<tool_call>{"name": "play", "arguments": "{\\"thought\\": \\"S7\\", \\"card\\": \\"SA\\"}"}</tool_call>',
        "S7 would lose: play_card(card='SA')",
        # tags
        "<think>[S7] would lose.</think> <answer>SA</answer>",
        "<think>S7 would lose.\n<answer>SA</answer>",  # never closed
        "S7 would lose. </think> SA",  # opened in the prompt
        "<answer>S7</answer> No, wait: <answer>SA</answer>",
        '<answer>{"action": "SA", "reason": "S7 loses"}</answer>',
        "<|channel|>analysis<|message|>S7?<|end|><|start|>assistant<|channel|>final<|message|>SA",
        # labels and LaTeX
        "S7 would lose. Answer: sa",
        "S7 would lose.\n### Final Answer\n: SA",
        "Thought: S7 would lose.\nAction: play(SA)\nReason: S7 would lose",
        "The answer is: SA, because HK is no trump.",
        r"S7 would lose. $\boxed{\text{Ace of Spades}}$",
        # brackets, lines, bold
        "[S7] would lose. [SA]",
        "**SA**\n\n**Explanation:** S7 would lose to HK.",
        "Legal moves:\n- HK\n- SA\n- S7\n\nI play SA.",
        "S7 would lose, so it has to be **SA**",
        # followed by the one that is not meant
        *("SA (not S7)", "SA, not S7, since S7 would lose.", "Final answer: SA (not S7)", "I play SA, not S7."),
        '{"action": "SA rather than the S7"}',
        # objects: strings under keys that say what is done, or the only string
        '{"action": "play", "card": "SA"}',
        '{"answer": "lead", "move": "SA"}',
        '{"action": {"suit": "spades", "rank": "A"}, "alternatives": ["S7"]}',
        '{"suit": "♠", "rank": "ace", "confidence": 0.9}',
        '{"reasoning": "S7 would lose", "action": "SA"}',
        '{"reasoning": "S7 would lose", "next_card": "SA"}',
        '{"hand": ["S7", "SA"], "turn": {"final_answer": ["play SA"]}}',
        '{"action": "play_card", "action_input": {"value": "SA"}, "instead_of": "S7"}',
        '{"tool_calls": [{"function": {"name": "play", "arguments": "{\\"card\\": \\"SA\\"}"}}]}',
        'S7?\n```json\n{\n "legal": ["S7", "SA"],\n "play": "$A\\\\spadesuit$"\n}\n```',
        '<answer>{"legal": ["S7", "SA"], "card": "SA"}</answer>',
        '{"action": "S7"}\nNo: {"action": "SA"}',
        '<answer>SA</answer> {"confidence": 0.9}',
        "<answer>SA</answer>\nFinal decision: win the trick.",
        "<answer>S7</answer> Answer: SA",
        '{"thought": "S7 would lose"}\n[SA]',
        '{"action": "SA", "thought": "S7',  # cut off
        # answers that are not final
        "Final answer:\nSA",
        "S7 would lose.\n**Final answer:**\n\n**SA**",
        "Answer: see below.\nI play SA.",
        "Answer: hard to say. I play SA.",
        "The decision is hard. I play SA.",
        "My choice is not obvious, but I lead [SA].",
        "I play [SA]. The decision is hard.",
    ],
    "S3": [
        '{"action": {"suit": "spades", "rank": "3"}, "alternatives": ["S2"]}',
        '{"card": {"rank": 3, "suit": "S"}, "reason": "S2 is lower"}',
        "Final answer: S3 (not S2)",
    ],
    "HT": ["10 of hearts", "h10", "[10♥]", '{"card": "Heart Ten"}', "SA would win. I play the 10 of ♥."],
}
REFUSED = [
    # none
    *("", "[]", "I pass.", "a heart", "SA1", "11 of hearts", "I hold 2 hearts", "take"),
    # none but dismissed ones, or in unfinished reasoning
    *("S7 would lose.", "[not S7]", "The answer is not S7.", "<think>S7 would lose", '{"thought": "S7 would lose"}'),
    # several
    *("S7 or SA", "<answer>S7 or SA</answer>", "[S7, SA]", "[S7] [SA]", "Best move: SA. Worst move: S7.", "SA\nS7"),
    *("**SA** wins; **S7** loses.", "Should I play [S7] now?", "[S7] is worse than SA."),
    *('{"action": "S7", "card": "SA"}', '{"cards": ["S7", "SA"]}', '[{"card": "S7"}, {"card": "SA"}]'),
    # closed without an action, whatever else is said
    *('{"action": null, "reasoning": "S2 is low"}', '{"action": null, "plan_b": "S2"}', '{"action": "S"}'),
    *("I thought about [S2]. <answer>unsure</answer>", "<answer>unsure</answer> S2 is fine.", "S2 <answer></answer>"),
    *("<answer>S2</answer> No: <answer>unsure</answer>", "Answer: <answer>unsure</answer>\nS2 is low."),
    *(r"[S2] is low. $\boxed{\text{unsure}}$", r"I play S2. \boxed{}"),
    *('S2 is fine. {"action": null}', "I play S2. {}", '[S2] {"action": {"card": "pass", "note": "S2"}}'),
    *('S2 is fine.\n```json\n{"move": "unsure"}\n```', '{"best": "S2", "worst": "HK"} I play S2.'),
    '<tool_call>{"name": "play", "arguments": {"card": null}}</tool_call> [S2]',
    *("[S2] is low.\nAnswer: unsure", "S2 is fine. Final answer: I pass.", "I play S2.\n**Answer:** none\n```\n"),
    # what dismisses no other card
    *("SA not good", "SA (not good)", "[SA] not good, S7 wins", "not S7 or SA"),
    *("SA (not SA)", "I should not play SA, S7."),
]


@pytest.mark.parametrize(("answer", "card"), [(answer, card) for card, answers in GIVEN.items() for answer in answers])
def test_card_is_read_from_an_answer(answer: str, card: str) -> None:
    assert read(answer) == card


@pytest.mark.parametrize("answer", REFUSED)
def test_unclear_answer_is_refused(answer: str) -> None:
    with pytest.raises(ValueError, match=r"\[SA\]"):
        read_action(answer, CARDS, CLASSIC)


# The last three differ from the letters that they match when they become capitals or small: one ended the program.
WORDS = [
    *"SA7♠[]<>/*_`\"'{}:.,?~\\\n \u212a\u0130\u017f",
    "think",
    "answer",
    "boxed",
    "card",
    "10",
    "not",
    "I play ",
    '{"action": ',
]


@pytest.mark.parametrize("digits", [10, 5000])
def test_reference_to_no_character(digits: int) -> None:
    assert read(f"SA &#{'7' * digits};") == "SA"
    with pytest.raises(ValueError, match=r"\[SA\]"):
        read_action(f"&#{'7' * digits}", CARDS, CLASSIC)


@pytest.mark.parametrize(
    "part",
    ["{", "[", '{"a":', '{"', '{"a\\"', "[{", '{"action": "SA"} ', '"{', "<answer>", r"\boxed{", "not ", "SA not "],
)
def test_repetitive_answer_is_read_in_linear_time(part: str) -> None:
    begun = time.process_time()
    read(part * 10_000)
    assert time.process_time() - begun < 10  # seconds; in quadratic time it would take minutes


@given(st.lists(st.sampled_from(WORDS)).map("".join))
def test_any_text_is_a_card_or_nothing(answer: str) -> None:
    assert read(answer) in {None, *map(card_text, range(NUM_CARDS))}


@pytest.mark.parametrize(
    ("answer", "action"),
    [
        ("Take it", "take"),
        ("[leave]", "leave"),
        ("I'll take the SA.", "take"),
        ("I would leave it, but no: [take]", "take"),
        ('{"thought": "to leave or to take", "action": "Leave"}', "leave"),
        ('I would take it. {"action": "leave", "card": "SA"}', "leave"),
        ("I would take it. <answer>unsure</answer>", None),
        ("take (not leave)", "take"),
        ("SA", "SA"),  # the refusal then says what is wrong
        ("I could take it, or leave it.", None),
        ("I would not take it.", None),
        ("x", None),
        ("swap", None),
    ],
)
def test_non_card_action_is_read_from_an_answer(answer: str, action: str | None) -> None:
    assert read(answer, CHOICE, DRAFT) == action


def test_non_card_actions_depend_on_the_rules() -> None:
    assert read("I keep my hand.", CHOICE, HUMBUG) == "keep"
    assert read("swap", CARDS, DRAFT) is None
    assert read("take", CARDS, DRAFT) == "take"
    with pytest.raises(ValueError, match="swap and keep"):
        read_action("keep or swap", CHOICE, HUMBUG)
