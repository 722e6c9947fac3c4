"""Text on the picture: the plates of both players and of the game, banners and captions."""

from __future__ import annotations

from PIL import Image

from german_whist.envs.rendering.pieces import (
    CREAM,
    GOLD,
    PALE,
    SANS,
    SANS_BOLD,
    Color,
    Pen,
    arrow,
    dot,
    font_of,
    plate,
    put,
    trump_mark,
)
from german_whist.game.state import ENDGAME, FOREPLAY
from german_whist.simulator.text.scene import Player, Scene

_STAGES = {FOREPLAY: "foreplay", ENDGAME: "endgame"}
_PLAYER = (196, 118)
_TALL_PLAYER = (196, 136)  # size with one more line
_SMALL_TEXT = 8.5  # pixels: small text is not drawn smaller than this if there is room
_GAME_WIDTH = 168


def draw_player(table: Image.Image, scene: Scene, player: Player, left: float, middle: float, unit: float) -> None:
    """Draw a player's plate: name, dealer, tricks by stage, race; gold border for the player to act or the winner."""
    width, height = (round(edge * unit) for edge in (_TALL_PLAYER if _has_line(scene) else _PLAYER))
    put(table, plate(width, height, bright=player.turn or player.seat == scene.winner), left + width / 2, middle)
    pen = Pen(table, 1)
    top, start, end = middle - height / 2, left + 14 * unit, left + width - 14 * unit
    name_end = end - (50 * unit if player.dealer else 0)
    if player.turn:
        put(table, arrow(max(round(14 * unit), 3)), start + 5 * unit, top + 23 * unit)
        start += 16 * unit
    name = shortened(player.name, SANS_BOLD, 17 * unit, name_end - start)
    pen.text(start, top + 23 * unit, name, SANS_BOLD, 17 * unit, CREAM, "lm")
    if player.dealer:
        pen.text(end, top + 23 * unit, "dealer", SANS, _small(11.5, unit), PALE, "rm")
    start = left + 14 * unit
    all_count = scene.rules.counts == "all"
    if scene.rules.humbug:
        _counter(pen, start, top, unit, str(player.tricks[ENDGAME]), "tricks", True)
        if player.swapped is not None:
            words = "swapped the hand" if player.swapped else "kept the hand"
            pen.text(start, top + 113 * unit, words, SANS, _small(12, unit), CREAM, "lm")
    else:
        _counter(pen, start, top, unit, str(player.tricks[FOREPLAY]), "foreplay", all_count)
        _counter(
            pen,
            start + (88 if player.score is None else 66) * unit,
            top,
            unit,
            str(player.tricks[ENDGAME]),
            "endgame",
            True,
        )
    if player.score is not None:
        _counter(pen, start + 128 * unit, top, unit, f"{player.score:g}", "match", True)
    if scene.rules.race:
        _race(table, player.counted, scene.rules.race, start, end, top + 113 * unit, unit)


def _has_line(scene: Scene) -> bool:
    return bool(scene.rules.race) or scene.near.swapped is not None or scene.far.swapped is not None


def _small(size: float, unit: float) -> float:
    """Return the font size of small text in pixels."""
    return max(size * unit, min(_SMALL_TEXT, 1.35 * size * unit))


def _counter(pen: Pen, x: float, top: float, unit: float, number: str, words: str, counts: bool) -> None:
    """Write a number with a word under it, in gold if it counts."""
    pen.text(
        x, top + 60 * unit, number, SANS_BOLD, (30 if len(number) < 3 else 24) * unit, GOLD if counts else PALE, "lm"
    )
    pen.text(x, top + 87 * unit, words, SANS, _small(11.5, unit), PALE, "lm")


def _race(table: Image.Image, taken: int, goal: int, start: float, end: float, y: float, unit: float) -> None:
    gap = min((end - start) / goal, 14 * unit)
    width = max(round(gap * 0.75), 2)
    for number in range(goal):
        put(table, dot(width, number < taken), start + (number + 0.5) * gap, y)


def draw_game(table: Image.Image, scene: Scene, right: float, middle: float, unit: float) -> None:
    """Draw the plate of the game: trumps, stage, trick, high or low, race."""
    notes = _notes(scene)
    width, height = round(_GAME_WIDTH * unit), round((154 + 24 * len(notes)) * unit)
    x, top = right - width / 2, middle - height / 2
    put(table, plate(width, height), x, middle)
    put(table, trump_mark(scene.trump, max(round(64 * unit), 2)), x, top + 46 * unit)
    pen = Pen(table, 1)
    pen.text(x, top + 90 * unit, "no trumps" if scene.trump < 0 else "trumps", SANS, _small(12, unit), PALE)
    stage = "Humbug" if scene.rules.humbug else _STAGES[scene.stage].capitalize()
    pen.text(x, top + 113 * unit, stage, SANS_BOLD, 17 * unit, CREAM)
    pen.text(x, top + 135 * unit, f"trick {scene.trick} of {scene.rules.tricks}", SANS, _small(12.5, unit), PALE)
    for line, (words, color) in enumerate(notes):
        pen.text(x, top + (159 + 24 * line) * unit, words, SANS_BOLD, _small(12, unit), color)


def _notes(scene: Scene) -> list[tuple[str, Color]]:
    notes: list[tuple[str, Color]] = []
    if scene.rules.high_low:
        notes.append(("LOW: fewest win", "#8fd0ff") if scene.low else ("HIGH: most win", GOLD))
    if scene.rules.race:
        notes.append((f"race to {scene.rules.race}", GOLD))
    elif scene.rules.counts == "all":
        notes.append(("every trick counts", GOLD))
    return notes


def banner(table: Image.Image, words: str, x: float, y: float, unit: float, bright: bool) -> None:
    """Write a sentence on a plate, centred at (x, y)."""
    size = 16 * unit
    words = shortened(words, SANS_BOLD, size, table.width - 60 * unit)
    width = round(font_of(SANS_BOLD, size).getlength(words) + 40 * unit)
    put(table, plate(max(width, 2), max(round(36 * unit), 2), bright=bright), x, y)
    Pen(table, 1).text(x, y, words, SANS_BOLD, size, GOLD if bright else CREAM)


def caption(table: Image.Image, words: str, x: float, y: float, unit: float) -> None:
    """Write small text on the table."""
    Pen(table, 1).text(x, y, words, SANS, _small(12.5, unit), PALE)


def shortened(words: str, font: str, size: float, room: float) -> str:
    """Return text that fits into ``room`` pixels, cut with an ellipsis if necessary."""
    measure = font_of(font, size).getlength
    if measure(words) <= room:
        return words
    while words and measure(words + "…") > room:
        words = words[:-1]
    return words.rstrip() + "…"
