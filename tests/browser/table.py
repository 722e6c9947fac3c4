"""The page as a player uses it: found by role and name, as a screen reader says them, but where that is too slow."""

from __future__ import annotations

import json
import re
from copy import copy
from typing import Any

from german_whist.game.rules import rules
from german_whist.table.page_data import game_records
from tests.browser.server import AGENT, Server
from tests.browser.static_site import StaticSite

_PATIENCE = 120_000  # milliseconds: only what fails waits so long, and a busy machine is slow

# Settings of somebody who knows the page, and plays every card.
_SETTLED = {"welcomed": True, "tapsExplained": True, "forced": False, "sound": False}

# Lets the page know rules that it does not offer, until it is loaded anew.
_OFFER = """({ games, rules }) => {
  const data = germanWhist.dataNow();
  data.rules.push(...rules.filter(({ spec }) => !(spec in data.games)));
  Object.assign(data.games, games);
  germanWhist.setRules(data.rules);
}"""

# The page in a frame, which takes another size at once, when a script asks for it.
_FRAME = """(address) => {
  const style = document.createElement('style');
  style.textContent = 'iframe { position: fixed; inset: 0; border: 0; width: 1280px; height: 800px }';
  document.body.append(style, Object.assign(document.createElement('iframe'), { src: address }));
}"""

# By selector: a role is computed for every element of the page, 40 times as slow, and this is asked at every action.
ABLE = "main :is([role=group], [role=list]) button:not([aria-disabled=true]):visible"


class Table:
    """A page on a device of its own.

    Attributes:
        page: the page of Playwright, or its frame.
        server: what serves it.
        touch: whether the device has a touch screen.
        settings: settings with which it was opened that differ from the defaults.
        complaints: errors in the console, requests to elsewhere, and failed requests.
    """

    def __init__(self, browser: Any, server: Server | StaticSite, *, touch: bool = False, **visit: Any) -> None:
        """Open the page.

        Args:
            browser: the browser.
            server: what serves it.
            touch: whether the device has a touch screen.
            visit: what :meth:`visit` takes.
        """
        self.touch = touch
        self.server = server
        self.settings: dict[str, Any] = {}
        self.complaints: list[str] = []
        self._context = browser.new_context(has_touch=touch, accept_downloads=True)
        self._context.set_default_timeout(_PATIENCE)
        self.page = self._open()
        self.visit(**visit)

    def visit(
        self,
        *,
        width: int = 1280,
        height: int = 800,
        moving: bool = False,
        settings: dict[str, Any] | None = None,
        session: str | None = None,
        game: dict[str, Any] | None = None,
    ) -> None:
        """Open the page as if the device had never seen it.

        Args:
            width: width of the window.
            height: height of the window.
            moving: whether cards move; if not, there are no pauses, either, unless ``settings`` say so.
            settings: settings that differ from the defaults.
            session: the session to open; by default the page deals.
            game: what :meth:`create` takes, of a session to create and open.
        """
        self.settings = settings or {}
        speed = {} if moving else {"speed": "instant"}
        self._go_nowhere()
        self.page.evaluate(
            """async (kept) => {
              await new Promise((done) => { indexedDB.deleteDatabase('german-whist').onsuccess = done; });
              localStorage.clear();
              localStorage['german-whist.settings'] = kept;
            }""",
            json.dumps({**_SETTLED, **speed, **self.settings}),
        )
        self.page.set_viewport_size({"width": width, "height": height})
        motion = "no-preference" if moving else "reduce"
        self.page.emulate_media(reduced_motion=motion, color_scheme="light")
        self.page.goto(self.server.address + (f"#session={session}" if session else ""))
        self.wait()
        if game is not None:
            self.go_to(self.create(**game))

    def follow(self, address: str = "") -> None:
        """Open an address of the page, such as ``#day=2026-11-21``, as a link from elsewhere does."""
        self.page.goto("about:blank")
        self.page.goto(self.server.address + address)

    def _go_nowhere(self) -> None:
        """Go to an empty page of the same origin, where settings can be written before the true page is opened."""
        empty, icon = "**/empty", '<link rel="icon" href="data:,">'
        self.page.route(empty, lambda route: route.fulfill(content_type="text/html", body=icon))
        self.page.goto(f"{self.server.address}empty")
        self.page.unroute(empty)  # a route would keep the browser from caching

    def _open(self) -> Any:
        page = self._context.new_page()
        page.on("console", lambda message: self._complain(message.type in {"error", "warning"}, message.text))
        page.on("pageerror", lambda error: self._complain(True, str(error)))
        page.on("request", lambda request: self._complain(not self._stays(request.url), request.url))
        return page

    def _stays(self, address: str) -> bool:
        home = self.server.address.split("/")[2]
        return re.match(rf"(https?://{re.escape(home)}/|data:|blob:|about:)", address) is not None

    def _complain(self, bad: bool, words: str) -> None:
        if bad:
            self.complaints.append(words)

    def another_tab(self) -> Table:
        """Return the same table in another tab of the same browser."""
        other = copy(self)
        other.page = other._open()
        other.page.goto(self.page.url)
        other.wait()
        return other

    def framed(self) -> Table:
        """Return the same table in a frame of an empty page, which can be resized a thousand times in one call."""

        def allow(route: Any) -> None:
            answer = route.fetch()
            headers = {name: value for name, value in answer.headers.items() if name != "content-security-policy"}
            route.fulfill(response=answer, headers=headers)

        self._go_nowhere()
        self.page.set_viewport_size({"width": 1600, "height": 1000})  # what is not seen cannot be pressed
        self.page.route(self.server.address, allow)
        self.page.evaluate(_FRAME, self.server.address)
        other = copy(self)
        other.page = self.page.wait_for_selector("iframe").content_frame()
        other.wait()
        return other

    def leave(self, server: Server | StaticSite) -> None:
        """Leave the page, which may be visited again, and close its other tabs.

        Args:
            server: what serves the next page.
        """
        self.server, self.settings = server, {}
        for page in self._context.pages:
            if page is not self.page:
                page.close()
        self.page.unroute_all(behavior="ignoreErrors")
        self._go_nowhere()

    def close(self) -> None:
        """Close the page."""
        self._context.close()

    def do(self, name: str, *given: Any) -> Any:
        """Return the answer of a function of ``sessions.js``."""
        return self.page.evaluate("([name, given]) => germanWhist.sessions[name](...given)", [name, given])

    def create(self, **choices: Any) -> str:
        """Create a session, of any rules, and return its id."""
        if "rules" in choices:
            self.page.evaluate(_OFFER, game_records({choices["rules"]: rules(choices["rules"])}))
        return str(self.do("create", {"agent": AGENT, "seed": 7, **choices})["id"])

    def session(self, session: str) -> Any:
        """Return a session as the page shows it."""
        return self.do("open", session)

    def go_to(self, session: str) -> None:
        """Show another session."""
        self.page.evaluate("id => { location.hash = `session=${id}` }", session)
        self.page.wait_for_function("id => localStorage.getItem('german-whist.session') === id", arg=session)
        self.wait()

    def button(self, name: str, exact: bool = True) -> Any:
        """Return the button of a name."""
        return self.page.get_by_role("button", name=name, exact=exact)

    @property
    def result(self) -> str:
        """The result of the deal, empty while it lasts."""
        return str(self.page.locator("#result-text").text_content() or "")

    @property
    def log(self) -> str:
        """The text of the log."""
        return str(self.page.locator("[role=log]").text_content())

    @property
    def hand(self) -> list[str]:
        """The names of the cards in the hand, the unplayable ones included."""
        names = "buttons => buttons.map((button) => button.getAttribute('aria-label').split(',')[0])"
        return list(self.page.locator("[role=list][aria-label='Your hand'] button:visible").evaluate_all(names))

    def wait(self) -> None:
        """Wait until it is the person's turn, the deal is over, or a window asks something."""
        self.page.wait_for_function(
            """() => document.querySelector('#result-text').textContent !== ''
                || document.querySelector('dialog[open]') !== null
                || [...document.querySelectorAll('main :is([role=group], [role=list]) button')].some(
                  (button) => button.checkVisibility() && button.getAttribute('aria-disabled') !== 'true')"""
        )

    def actions(self) -> list[Any]:
        """Return the buttons of the actions that can be taken now."""
        return list(self.page.locator(ABLE).all())

    def act(self, number: int = 0) -> None:
        """Take one of the actions: a card is raised by the first press and played by the second."""
        button = self.actions()[number]
        card = button.get_attribute("aria-pressed") is not None
        before = self.log
        self.press(button)
        if card:
            assert button.get_attribute("aria-pressed") == "true"
            self.press(button)
        self.page.wait_for_function("text => document.querySelector('[role=log]').textContent !== text", arg=before)
        self.wait()

    def next_deal(self) -> None:
        """Go on with the next deal."""
        self.button("Next deal").click()
        self.page.wait_for_function("() => document.querySelector('#result-text').textContent === ''")
        self.wait()

    def press(self, button: Any) -> None:
        """Press a button with the mouse or a finger."""
        if self.touch:
            button.tap()
        else:
            button.click()

    def play_on(self, choose: Any = None) -> str:
        """Play the deal to its end and return the result."""
        while not self.result:
            actions = self.actions()
            self.act(choose(actions) if choose else 0)
        return self.result
