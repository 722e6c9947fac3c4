"""The human player: prompts, and what is typed at them (cards, choices, ? and q)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from german_whist.envs.engine.rules import Rules
    from german_whist.session.deal.table_deal import TableDeal

HELP = """\
A card is its suit and its rank, in any case: SA or s a is the ace of spades, HT or h10 the ten of hearts.
Suits: C clubs, D diamonds, H hearts, S spades. Ranks: 2 3 4 5 6 7 8 9 T J Q K A.
At a choice, type the word (or its first letter), or the face-up card that you pick.
h shows a hint, b takes your last card back: both mark the deal as assisted. ? shows this help, q quits."""

HINT, TAKE_BACK = "hint", "back"

_SIGNS = str.maketrans("♣♦♥♠", "CDHS")


class PlayerQuit(Exception):  # noqa: N818 - not an error
    """The player has quit."""


def ask_action(deal: TableDeal) -> int | str:
    """Ask the player until a legal action is typed, and return its number, or ``HINT`` or ``TAKE_BACK``.

    Args:
        deal: the deal; it is the player's turn.

    Raises:
        PlayerQuit: if the player types ``q``, or the input ends.
    """
    prompt = _prompt(deal.views(deal.turn)[0], deal.rules)
    while True:
        word = _read_word(prompt)
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
            return parse_action(word, deal)
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


def parse_action(word: str, deal: TableDeal) -> int:
    """Return the legal action that a word means.

    Args:
        word: the word typed, in upper case, without blanks.
        deal: the deal; the seat to act is the player's.

    Raises:
        ValueError: if the word is not an action or not a legal one; the message says why.
    """
    from german_whist.session.deal.position import refusal_with_choices

    action = _action(word, deal)
    reason = refusal_with_choices(deal, deal.turn, action)
    if reason is not None:
        raise ValueError(reason)
    return action


def _action(word: str, deal: TableDeal) -> int:
    """Return the action that a word means: a choice, by its first letters where one is to be made, or a card."""
    from german_whist.envs.engine.actions import choice_names
    from german_whist.envs.engine.cards import NUM_CARDS, cards_of
    from german_whist.session.deal.position import decision_text

    view, choices = deal.views(deal.turn)[0], choice_names(deal.rules)
    chooses = bool(view["choice"]) and bool(choices)
    matches = [place for place, name in enumerate(choices) if name.upper().startswith(word)]
    if len(matches) == 1 and (chooses or word.lower() in choices):
        return NUM_CARDS + matches[0]
    card = _card(word)
    if card is None:
        raise ValueError(
            decision_text(deal, view)
            if chooses
            else f"{word} is not a card: type suit and rank, such as SA, or ? for help"
        )
    if chooses and deal.rules.draft and card in cards_of(int(view["face_up"])):
        return NUM_CARDS  # naming the face-up card takes it
    return card


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
