"""Reads the card or choice from an answer in free text, such as a language model's.

Text that is marked as reasoning is dropped, so an action that only the reasoning names is never read. A closed answer
(``_CLOSED``; an object of JSON becomes one) is final: what it does not say is not read in the text around it. Then the
forms are tried in order: those that call themselves the answer (``_GIVEN``), those that usually are the answer
(``_STATED``), and prose. If it remains unclear which action is meant, none is read.

A model may repeat a word without end, so reading takes linear time: what starts anywhere in a text and may fail is
bounded, as in ``{0,4}``.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from german_whist.game.actions import action_text, non_card_action_names
from german_whist.game.cards import CARD_PATTERN, NUM_CARDS, card_in
from german_whist.game.rules import Rules
from german_whist.simulator.text.words import join_words

_UNKNOWN = -1  # a card of unknown suit, such as "the king"
_DEPTH = 4  # how deep answers lie inside answers, such as a field in a tag
_MOST_LISTED = 4  # actions listed in a refusal


class _Naming(NamedTuple):
    """A place in a text that names an action."""

    start: int
    end: int
    action: int


_Find = Callable[[str], list[_Naming]]


def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(text, re.IGNORECASE | re.DOTALL)


# Of no character; Python refuses to read one of thousands of digits.
_HUGE_REFERENCE = _pattern(r"&#\d{8,};?")

# LaTeX, HTML and escaped JSON are rewritten as the signs and the Markdown that the forms below know.
_REWRITES = [
    (_pattern(r"\\clubsuit\b"), "♣"),
    (_pattern(r"\\diamondsuit\b"), "♦"),
    (_pattern(r"\\heartsuit\b"), "♥"),
    (_pattern(r"\\spadesuit\b"), "♠"),
    (_pattern(r"\\(?:textbf|mathbf|textit|emph)\s*\{([^{}]*)\}"), r"**\1**"),
    (_pattern(r"\\(?:text|texttt|mathrm|mathsf|mathtt|operatorname|mbox)\s*\{([^{}]*)\}"), r"\1"),
    (_pattern(r"</?(?:b|i|strong|em|code)>"), "**"),
    (_pattern(r"\*\*(\w+)\*\*(\s+of\s+)\*\*(\w+)\*\*"), r"**\1\2\3**"),
    (_pattern(r"\\([\"'])"), r"\1"),
]

# Labels of tags, fields and lines.
_REASON = (
    r"(?:think|thinking|thoughts?|reason|reasoning|rationale|analysis|explanation|reflection|scratchpad|plan|why"
    r"|comments?|notes?)"
)
_STRONG = (
    r"(?:(?:(?:my|the|final|chosen|selected)[\s_-]*){0,4}(?:answer|action|choice|decision)"
    r"|(?:(?:my|final|chosen|selected)[\s_-]*){1,4}(?:move|card|play|pick|lead)|final)"
)
_ASKS = r"[^.!?;\n]{0,300}\?"
_OPEN = rf"[<\[◁](?P<tag>{_REASON})[>\]▷]"
_FAINT = r"(?:(?:the|best)[\s_-]*){0,4}(?:move|card|play|pick|response|output)"

_REASONING_TAGS = [
    (_pattern(r"\A.*<\|channel\|>final<\|message\|>"), "\n"),
    # The second form, of a tag that is never closed, ends the search.
    (_pattern(rf"{_OPEN}.*?[<\[◁]/(?P=tag)[>\]▷]|(?P<rest>[<\[◁]{_REASON}[>\]▷].*)"), r"\n\g<rest>"),
    (_pattern(rf"\A.*[<\[◁]/{_REASON}[>\]▷]"), "\n"),  # opened in the prompt
    # Never closed: up to the tags of an answer that end the text, or to the end.
    (_pattern(rf"{_OPEN}.*?(?=\Z|<(?P<label>{_STRONG})>[^<]*</(?P=label)>\s*\Z)"), "\n"),
]
_REASONING_FIELDS = [
    (_pattern(rf"([\"']){_REASON}\1\s*:\s*([\"'])(?:(?!\2)[^\\]|\\.)*\2"), "\n"),
    (_pattern(r"~~[^~]*~~"), "\n"),
]


def _tag(label: str) -> str:
    return rf"<(?P<tag>{label})>(?P<inside>(?:(?!<{label}>).)*?)"


def _labelled(label: str) -> str:
    """Return the pattern of ``<label>SA</label>``, ``"label": "SA"`` and ``Label: SA``."""
    return (
        rf"{_tag(label)}(?:</(?P=tag)>|\Z)"
        rf"|(?<!\w)[\"']?{label}[\"']?\s*[:=]\s*[\[{{]?\s*(?P<quote>[\"'])(?P<field>(?:(?!(?P=quote)).)*)(?P=quote)"
        rf"|(?:\A|[.!?;:>\n({{])[^\w?]{{0,20}}(?:(?:so|and|thus|hence|therefore|the)[\s,]+){{0,4}}{label}[*_`]*"
        rf"(?:\s*(?:(?P<colon>:)|=|->|→)|\s+is\b:?)[\s*_`]{{0,20}}(?!{_ASKS})(?P<line>[^.!?;\n]++)"
    )


_CLOSED = _pattern(rf"\\f?boxed\s*\{{(?P<box>[^{{}}]*)\}}|{_tag(_STRONG)}</(?P=tag)>")  # the last one counts
_GIVEN = _pattern(rf"####(?P<gsm>[^\n]+)|{_labelled(_STRONG)}")  # the last one that names an action counts
_SAID = _pattern(r".*\w")  # up to the last word
_SENTENCE = _pattern(r"(?<![^.!?;\n])(?P<line>[^.!?;\n]+)")
_MARKED = _pattern(r"(?P<mark>\*{1,3}|_{1,2}|`)(?P<line>[^*_`\n]+)(?P=mark)(?=[^\w.!?;\n]{0,20}(?:[.!;\n]|\Z|because))")
_VERB = _pattern(r"\b(?:play|lead|choose|pick|select|discard|throw|follow|use|go)\b")
# A form counts if all its matches name the same action and nothing else, and no other action is named after them.
_STATED = [
    (_SENTENCE, _VERB),  # "I play SA."
    (_pattern(r"[\[【](?P<line>[^\[\]【】]*)[\]】]"), None),
    (_pattern(_labelled(_FAINT)), None),
    (_SENTENCE, None),  # "SA", in a line
    (_MARKED, None),
]

# Words that may stand beside an action in a text that counts as naming nothing else.
_FILLER = _pattern(
    r"(?:[\s.,:;!*_`\"'’()\[\]{}<>#=→$\\-]"
    r"|\b(?:i|ll|m|am|going|to|will|shall|must|should|let|me|us|s|so|then|now|thus|hence|therefore|finally|okay|ok|final"
    r"|answer|action|move|card|choice|decision|my|the|it|on|with|go|please|play|lead|choose|pick|select|discard|throw"
    r"|follow|use|hands?)\b)*"
)
_WHY = _pattern(
    rf"[\s*_#>`)\].]*\b{_REASON}[*_]*:[^\n]*"
    r"|[\s,*_`)\]-]*\b(?:because|since|so that|in order to"
    r"|to (?:win|take|beat|draw|get|keep|save|lose|follow|capture|secure|force|trump|ruff|duck|discard))\b[^.!?;\n]*"
)
_QUESTION = _pattern(_ASKS)
_ENGLISH = _pattern(r"as|ad|ah|ha|a\s+[cdhs]")  # words, not cards, unless in capitals
_COUNT = _pattern(r"(?:\d+|two|three|four|five|six|seven|eight|nine|ten)\s+[a-z]{2,}")  # "2 hearts"
_HONOUR = _pattern(r"\b(?:ace|king|queen|jack)s?\b")
_DISMISSED_BEFORE = _pattern(
    r"(?:\bnot|n['’]t|\bnever|\bavoid\w*|(?:\brather\s+)?\bthan|\binstead of|\bwithout|\bcannot)\s+"
    r"(?:(?:to|be|go|with|play|playing|lead|leading|choose|pick|use|waste|throw|discard|my|the|a|that|it)\s+)*"
    r"[\[*_`\"'(]*\Z"
)
_DISMISSED_AFTER = _pattern(r"[^\w.!?;\n]{0,20}(?:\w+\s+){0,2}(?:los(?:e|es|ing)|not|never|cannot|\w+n['’]t)\b")
_CLAUSE = 60  # characters before an action that may dismiss it

# Objects of JSON, whose strings may hold line ends, and their keys.
_JSON = json.JSONDecoder(strict=False)
_OBJECT = _pattern(r"(?:\[\s*)?\{\s*[\"}]")
_LONGEST = 100_000  # characters of an object
_REASON_KEY = _pattern(_REASON)
_ANSWER_KEY = _pattern(rf"{_STRONG}|{_FAINT}|\w{{0,20}}(?:arguments|args|parameters|params|input)")


def read_action(answer: str, legal: int, rules: Rules) -> int:
    """Return the action that an answer gives, legal or not.

    Args:
        answer: any text; *Test or train a language model* in the documentation lists the forms.
        legal: the legal actions, as a mask. Choices are looked for before cards if a choice is due, otherwise after
            them.
        rules: the rules.

    Raises:
        ValueError: if the answer gives no action, or it is unclear which one; the message says what to write.
    """
    text = _without_reasoning(answer)
    is_choice_due = bool(legal >> NUM_CARDS)
    finds: list[_Find] = [_cards, lambda part: _choices(part, non_card_action_names(rules))]
    first, second = reversed(finds) if is_choice_due else finds
    named = _given(text, first) or _given(text, second)
    if len(named) == 1:
        return named.pop()
    several = [action_text(action, rules) for action in sorted(named, reverse=True)]
    problem = "gives no card or choice"
    if several:
        problem = f"names {join_words(several) if len(several) <= _MOST_LISTED else 'several cards'}"
    example = non_card_action_names(rules)[0] if is_choice_due else "SA"
    raise ValueError(f"Your answer {problem}: end it with the one that you mean, in brackets, as [{example}].")


def _without_reasoning(answer: str) -> str:
    text = html.unescape(_HUGE_REFERENCE.sub("\ufffd", answer))
    for pattern, plain in _REASONING_TAGS:
        text = pattern.sub(plain, text)
    text = _objects_as_tags(text)
    for pattern, plain in _REWRITES + _REASONING_FIELDS:
        text = pattern.sub(plain, text)
    return text


def _objects_as_tags(text: str) -> str:
    """Return a text in which tags of an answer stand for the whole objects of JSON."""
    parts: list[str] = []
    end = place = 0
    while begin := _OBJECT.search(text, place):
        try:
            value, length = _JSON.raw_decode(text[begin.start() : begin.start() + _LONGEST])
            parts += [text[end : begin.start()], _as_tag(value)]
            end = place = begin.start() + length
        except json.JSONDecodeError as error:
            place = begin.start() + max(error.pos, 1)  # what was decoded is not decoded again
        except (ValueError, RecursionError):  # thousands of digits, or of objects inside each other
            break
    return "".join([*parts, text[end:]])


def _as_tag(value: Any) -> str:
    """Return a tag with the strings of an object under keys that say what is done, or with its only string."""
    strings = list(_strings(value))
    if value and not strings:  # reasoning alone
        return "\n"
    said = [string for string, is_answer in strings if is_answer]
    others = [string for string, _ in strings if string]
    content = "\n".join(said or (others if len(others) == 1 else []))
    return f"<answer>{_objects_as_tags(content)}</answer>"


def _strings(value: Any, is_answer: bool = False) -> Iterator[tuple[str, bool]]:
    """Yield the strings of a value but its reasoning, empty ones for numbers, and whether a key says what is done."""
    if isinstance(value, dict):
        fields = {key: item for key, item in value.items() if not _REASON_KEY.fullmatch(key)}
        if {"suit", "rank"} <= fields.keys():
            fields["card"] = f"{fields['rank']} of {fields['suit']}"
        answers = {key: item for key, item in fields.items() if _ANSWER_KEY.fullmatch(key)}
        for item in (answers or fields).values():
            yield from _strings(item, is_answer or bool(answers))
    elif isinstance(value, list):
        for item in value:
            yield from _strings(item, is_answer)
    else:
        yield value if isinstance(value, str) else "", is_answer


def _given(text: str, find: _Find, depth: int = _DEPTH) -> set[int]:
    """Return the action that a text gives; several if it is unclear which one, none if there is none."""
    if depth and (answer := _explicit(text, find, depth - 1)) is not None:
        return answer
    for pattern, needed in _STATED:
        named, end = set(), 0
        for match in pattern.finditer(text):
            content = match[match.lastgroup or 0]
            if (needed and not needed.search(content)) or not _is_meant(text, *match.span()):
                continue
            if (action := _alone(content, find)) is not None:
                named.add(action)
                end = match.end()
        why = _WHY.match(text, end)
        if len(named) == 1 and _mentioned(text[why.end() if why else end :], find) <= named:
            return named
    return _in_prose(text, find)


def _explicit(text: str, find: _Find, depth: int) -> set[int] | None:
    """Return the action of the last explicit answer, none if it is final and names none. ``None`` without one."""
    # The last closed answer that says anything.
    closed = [(match[match.lastgroup or 0], match.end()) for match in _CLOSED.finditer(text)]
    content, end = max(closed, key=lambda answer: (bool(answer[0].strip()), answer[1]), default=("", 0))
    after = text[end:]
    said = _SAID.match(after)
    last_line = after.rfind("\n", 0, said.end()) + 1 if said else 0
    for match in reversed(list(_GIVEN.finditer(after))):
        if named := _given(match[match.lastgroup or 0], find, depth):
            return named
        if not closed and match["colon"] and match.start("line") >= last_line:
            return _given(after[match.start("line") :], find, depth)
    return _given(content, find, depth) if closed else None


def _alone(text: str, find: _Find) -> int | None:
    """Return the action of a text that means nothing else; a reason may follow it. ``None`` for other texts."""
    named: set[int] = set()
    end = 0
    for naming in find(text):
        dismissal = _DISMISSED_BEFORE.search(text, end, naming.start) if named else None  # "SA (not S7)"
        if not _FILLER.fullmatch(text, end, dismissal.start() if dismissal else naming.start):
            return None
        if dismissal and naming.action in named:
            return None
        if not dismissal:
            named.add(naming.action)
        end = naming.end
        if why := _WHY.match(text, end):
            end = why.end()
            break
    return max(named) if len(named) == 1 and _UNKNOWN not in named and _FILLER.fullmatch(text, end) else None


def _in_prose(text: str, find: _Find) -> set[int]:
    """Return the actions that prose names; none if it may mean another one, or dismisses the only one."""
    named = _mentioned(text, find)
    if len(named) == 1 and not any(
        _is_meant(text, start, end) and not _COUNT.fullmatch(text, start, end) for start, end, _ in find(text)
    ):
        return set()
    known = named - {_UNKNOWN}
    return set() if len(known) == 1 and len(named) > 1 else known


def _mentioned(text: str, find: _Find) -> set[int]:
    """Return the actions that a text names in any way."""
    return {
        naming.action
        for naming in find(text)
        if (spelling := text[naming.start : naming.end]).isupper() or not _ENGLISH.fullmatch(spelling)
    }


def _is_meant(text: str, start: int, end: int) -> bool:
    """Return whether a sentence means the action named at a place: it neither asks about it nor dismisses it."""
    before = text[max(0, start - _CLAUSE) : start]
    return not (_DISMISSED_BEFORE.search(before) or _DISMISSED_AFTER.match(text, end) or _QUESTION.match(text, end))


def _cards(text: str) -> list[_Naming]:
    """Return where a text names cards, in order, including cards of unknown suit."""
    found, end = [], 0
    for match in CARD_PATTERN.finditer(text):
        found += [_Naming(*honour.span(), _UNKNOWN) for honour in _HONOUR.finditer(text, end, match.start())]
        found.append(_Naming(*match.span(), card_in(match)))
        end = match.end()
    return found + [_Naming(*honour.span(), _UNKNOWN) for honour in _HONOUR.finditer(text, end)]


def _choices(text: str, names: tuple[str, ...]) -> list[_Naming]:
    """Return where a text names choices, in order."""
    words = ((match, match[0].lower()) for match in re.finditer(r"\w+", text))
    return [_Naming(*match.span(), NUM_CARDS + names.index(word)) for match, word in words if word in names]
