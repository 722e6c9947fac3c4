"""How much work the page does for one card, counted: a clock would measure the machine."""

from __future__ import annotations

from tests.browser.conftest import OpenTable
from tests.browser.playing import LONGEST, follows, play, play_deals

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


# Collects the heights that the board takes.
_MEASURE = """() => {
  window.heights = new Set();
  new ResizeObserver(([{ contentRect }]) => heights.add(Math.round(contentRect.height))).observe(
    document.getElementById('board'));
}"""


def test_prompts_do_not_move_the_board(open_table: OpenTable) -> None:
    table = open_table(width=390, height=844, settings={"singleTap": True})
    table.go_to(play(table, "classic", follows, **LONGEST))
    table.page.evaluate(_MEASURE)
    for _ in range(3):
        table.act()
    assert len(table.page.evaluate("[...heights]")) == 1


# Counts the calls of the page's kernels.
_COUNT_CALLS = """{
  const { Instance } = WebAssembly;
  const counted = (kernel) => (...given) => {
    window.calls += 1;
    return kernel(...given);
  };
  WebAssembly.Instance = function (module) {
    const named = Object.entries(new Instance(module).exports);
    return { exports: Object.fromEntries(named.map(([name, one]) => [name, one.call ? counted(one) : one])) };
  };
}"""


def test_a_card_replays_neither_its_deal_nor_earlier_ones(open_table: OpenTable) -> None:
    table = open_table(settings={"singleTap": True})
    table.go_to(play_deals(table, 3, rules="small"))
    table = table.another_tab()
    table.page.add_init_script(_COUNT_CALLS)
    table.page.reload()
    table.wait()
    while not table.result:
        table.page.evaluate("() => { window.calls = 0; }")
        table.act()
        assert 0 < table.page.evaluate("window.calls") < 60
