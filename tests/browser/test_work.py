"""How much work the page does for one card, counted: a clock would measure the machine."""

from __future__ import annotations

from tests.browser.conftest import OpenTable
from tests.browser.playing import follows, play

# Counts the elements that are added to the table, but for the hand and the log.
_WATCH = """() => {
  window.added = 0;
  const isElsewhere = (node) =>
    node.parentElement?.closest('#hand, #log, #result') ?? node.nodeType !== Node.ELEMENT_NODE;
  new MutationObserver((changes) => {
    const nodes = changes.flatMap(({ addedNodes }) => [...addedNodes]).filter((node) => !isElsewhere(node));
    for (const node of nodes) window.added += 1 + node.querySelectorAll('*').length;
  }).observe(document.getElementById('table'), { subtree: true, childList: true });
}"""


def test_a_card_changes_the_table_and_does_not_build_it_anew(open_table: OpenTable) -> None:
    table = open_table(settings={"singleTap": True})
    table.go_to(play(table, "classic", follows))
    table.page.evaluate(_WATCH)
    for _ in range(3):
        table.page.evaluate("() => { window.added = 0; }")
        table.act()
        # The cards of the trick, of the last one and of the stock: a picture is two elements.
        assert 2 <= table.page.evaluate("window.added") <= 16
