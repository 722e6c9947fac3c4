"""The human player: prompts, and what is typed at them (cards, choices, ? and q)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from german_whist.envs.engine.rules import Rules

HELP = """\
A card is its suit and its rank, in any case: SA or s a is the ace of spades, HT or h10 the ten of hearts.
Suits: C clubs, D diamonds, H hearts, S spades. Ranks: 2 3 4 5 6 7 8 9 T J Q K A.
At a choice, type the word (or its first letter), or the face-up card that you pick.
h shows a hint, b takes your last card back: both mark the deal as assisted. ? shows this help, q quits."""

HINT, TAKE_BACK = "hint", "back"

_SUIT_NAMES = ("clubs", "diamonds", "hearts", "spades")
_SIGNS = str.maketrans("♣♦♥♠", "CDHS")


class PlayerQuit(Exception):  # noqa: N818 - not an error
    """The player has quit."""


def ask_action(view: Any, rules: Rules) -> int | str:
    """Ask the player until a legal action is typed, and return its number, or ``HINT`` or ``TAKE_BACK``.

    Args:
        view: what the player's seat knows, a ``VIEW`` record; it is that seat's turn.
        rules: the rules of the game.

    Raises:
        PlayerQuit: if the player types ``q``, or the input ends.
    """
    while True:
        word = _read_word(_prompt(view, rules))
        if word in ("?", "HELP"):
            print(HELP)
            continue
        if word in ("Q", "QUIT"):
            raise PlayerQuit
        if not word:
            continue
        for command in (HINT, TAKE_BACK):
            if word in (command.upper(), command[0].upper()):
                return command
        try:
            return parse_action(word, view, rules)
        except ValueError as error:
            print(error)


def _read_word(prompt: str) -> str:
    try:
        text = input(prompt)
    except EOFError:
        print()
        raise PlayerQuit from None
    return "".join(text.upper().split())


def _prompt(view: Any, rules: Rules) -> str:
    from german_whist.envs.engine.actions import choice_names
    from german_whist.envs.engine.cards import cards_of, deck_text

    if not view["choice"]:
        return "your card: "
    if rules.open_stock > 1:
        return f"pick a card ({deck_text(cards_of(int(view['face_up'])))}): "
    return f"{' or '.join(choice_names(rules))}: "


def parse_action(word: str, view: Any, rules: Rules) -> int:
    """Return the legal action that a word means.

    Args:
        word: the word typed, in upper case, without blanks.
        view: what the player's seat knows, a ``VIEW`` record.
        rules: the rules of the game.

    Raises:
        ValueError: if the word is not an action or not a legal one; the message says why.
    """
    from german_whist.envs.engine.actions import choice_names
    from german_whist.envs.engine.cards import NUM_CARDS, card_text, cards_of, deck_text

    choices = choice_names(rules)
    if view["choice"] and choices:
        matches = [place for place, name in enumerate(choices) if name.upper().startswith(word)]
        if len(matches) == 1:
            return NUM_CARDS + matches[0]
        if not rules.draft or _card(word) not in list(cards_of(int(view["face_up"]))):
            raise ValueError(f"choose {' or '.join(choices)} now")
        return NUM_CARDS  # naming the face-up card takes it
    if word.lower() in choices:
        raise ValueError(f"there is nothing to {word.lower()} now: play a card")
    card = _card(word)
    if card is None:
        raise ValueError(f"{word} is not a card: type suit and rank, such as SA, or ? for help")
    if int(view["legal"]) >> card & 1:
        return card
    name = card_text(card)
    if view["choice"]:
        raise ValueError(f"{name} is not face up: pick one of {deck_text(cards_of(int(view['face_up'])))}")
    if not int(view["hand"]) >> card & 1:
        raise ValueError(f"you do not hold {name}")
    suit = _SUIT_NAMES[int(view["led"]) // 13]
    raise ValueError(f"you must follow {suit}: {deck_text(cards_of(int(view['legal'])))}")


def _card(word: str) -> int | None:
    """Return the card that a word means, suit or rank first, or ``None``."""
    from german_whist.envs.engine.cards import parse_card

    word = word.translate(_SIGNS).replace("10", "T")
    for text in (word, word[::-1]):
        try:
            return parse_card(text)
        except ValueError:
            continue
    return None
