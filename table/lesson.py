"""A lesson in the rules: a short deal with a fixed deck, in which a teacher says what to play and why."""

RULES = "classic:ranks=4,hand=4,stock=8"
TEACHER = "Teacher"
SEAT = 0  # the person's; the other seat deals, so the person leads
DECK = "SA SJ DJ DQ CQ CK HJ DA HK SK CJ HA DK SQ CA HQ"

# The teacher's cards in the foreplay, and the person's decisions: what is said, and what may be played (nothing: any).
TEACHER_PLAYS = ("SJ", "DQ", "CK", "DA")
STEPS: tuple[tuple[str, tuple[str, ...]], ...] = (
    (
        "This short game has the jacks, queens, kings and aces. You hold four cards, and a king of hearts lies "
        "face up: hearts are trumps. Win this trick and you take that king; lose it and you take the hidden card "
        "under it. Lead the ace of spades. The teacher has to follow suit if possible, and no spade beats the ace.",
        ("SA",),
    ),
    (
        "You have won: the king of hearts is in your hand, and the teacher has drawn a card that you did not see. "
        "Whoever wins a trick leads the next one. Now the jack of clubs lies face up, the lowest card of all. Win "
        "this trick and you take it; lose it and you take the hidden card. Lose it: lead the jack of diamonds.",
        ("DJ",),
    ),
    (
        "The teacher had to take the jack of clubs, and you have drawn the ace of hearts, the highest trump. "
        "Nobody but you knows it. Now the king of diamonds is the prize, and the teacher leads the king of clubs. "
        "You have a club, so you must follow suit: play the queen. It loses, and you take the hidden card.",
        ("CQ",),
    ),
    (
        "The teacher leads the ace of diamonds. You have no diamond, so you may play any card, and a trump beats "
        "every card of the other suits. The ace of clubs lies face up and is worth a trump: play your lowest, the "
        "jack of hearts.",
        ("HJ",),
    ),
    (
        "The stock is gone, and the endgame begins: from here every trick counts. If you have remembered the "
        "cards, you know what the teacher holds: the king of spades, the queen of hearts, the king of diamonds and"
        " the jack of clubs. Draw the last trump first: lead the ace or the king of hearts.",
        ("HA", "HK"),
    ),
    ("Nothing can be trumped any more. Your ace of clubs and your other trump are sure tricks: cash them.", ()),
    ("Go on: winners first.", ()),
    ("The last card plays itself.", ()),
)
END = (
    "That was a whole deal: in the foreplay you play for good cards, in the endgame for tricks. The real game has 52 "
    "cards, thirteen tricks of each kind, and you need seven of the last thirteen to win."
)
