"""Access control of the server: checks of host, token, origin and body size, and security headers."""

from __future__ import annotations

import hmac
import ipaddress
import re
from collections.abc import Iterable

from starlette.applications import Starlette
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, RedirectResponse
from starlette.types import Message, Receive, Scope, Send

from german_whist.table.bundle import POLICY

MAX_BODY = 32 * 1024  # bytes; a whole history takes a tenth of this

_LOCAL_NAMES = ("localhost", "127.0.0.1", "::1")
ANY_HOST = ("0.0.0.0", "::", "")
_HEADERS = {
    "content-security-policy": "; ".join((*POLICY, "frame-ancestors 'none'")),
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",  # the URL contains the token
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
}
_READING = ("GET", "HEAD")
_HOST = re.compile(r"(?:\[([0-9a-f.]*:[0-9a-f:.]*)\]|([^]:@/\s[]+))(?::[0-9]{1,5})?", re.IGNORECASE)


def refusal(error: HTTPException) -> JSONResponse:
    """Return an error as the answer to a request."""
    return JSONResponse({"error": error.detail}, error.status_code)


class Guard:
    """ASGI middleware that lets only requests of the page itself through.

    ``Host`` has to be one of this server's names, which prevents DNS rebinding. The first segment of the path has to be
    the token, which other sites and other users of the machine do not know. ``Origin``, if a browser sends it, has to
    be this server or an allowed host.

    Attributes:
        application: the guarded application.
    """

    def __init__(self, app: Starlette, token: str, hosts: Iterable[str], allowed: Iterable[str] = ()) -> None:
        """Guard an application.

        Args:
            app: the application; it sees paths without the token.
            token: the first segment of every path.
            hosts: names allowed in ``Host``, without ports. A name for all addresses, such as ``0.0.0.0``, allows every
                numeric address, because DNS rebinding needs a name.
            allowed: names under which a proxy serves this server, from :func:`allowed_host`. They are allowed in
                ``Host``, and in ``Origin`` with any scheme and port, since those of the proxy are not known here.
        """
        self.application, self._token = app, token
        names = {host.lower() for host in hosts}
        self._any_address = bool(names & set(ANY_HOST))
        self._allowed = set(allowed)
        self._hosts = names | set(_LOCAL_NAMES) | self._allowed

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check a request and pass it on."""
        if scope["type"] == "lifespan":
            await self.application(scope, receive, send)
            return
        if scope["type"] != "http":
            return  # no websockets here: the connection is closed

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.update(_HEADERS)
                headers.setdefault("cache-control", "no-store")
            await send(message)

        try:
            if self._lacks_slash(scope):
                await RedirectResponse(f"{self._token}/")(scope, receive, send_with_headers)
                return
            inner = self._checked(scope)
            await self.application(inner, _limited(receive, Headers(scope=scope)), send_with_headers)
        except HTTPException as error:
            await refusal(error)(scope, receive, send_with_headers)

    def _lacks_slash(self, scope: Scope) -> bool:
        return self._is_host(_host(Headers(scope=scope))) and _same(scope["path"], f"/{self._token}")

    def _checked(self, scope: Scope) -> Scope:
        """Return an allowed request, with the token removed from its path.

        Raises:
            HTTPException: if it is not allowed.
        """
        headers = Headers(scope=scope)
        host = _host(headers)
        if not self._is_host(host):
            raise HTTPException(
                403, f"This server does not answer for the host {host!r:.80}; --allow-host NAME allows another one."
            )
        prefix = f"/{self._token}"
        path = scope["path"]
        if not _same(path[: len(prefix) + 1], f"{prefix}/"):
            raise HTTPException(403, "The address lacks the token: open the address that german-whist serve printed.")
        origin = headers.get("origin")
        is_own = origin in (None, f"{scope['scheme']}://{host}") or _origin_name(origin) in self._allowed
        if not is_own and scope["method"] not in _READING:
            raise HTTPException(403, f"Requests from {origin!r:.80} are not allowed.")
        return {**scope, "path": path[len(prefix) :], "raw_path": None, "root_path": ""}

    def _is_host(self, host: str) -> bool:
        name = _host_name(host)
        return name is not None and (name in self._hosts or (self._any_address and _is_address(name)))


def allowed_host(name: str) -> str:
    """Return the name of an additional host, normalised for the guard.

    Raises:
        ValueError: if it is not a plain host name or address.
    """
    if name in ANY_HOST or "*" in name or _host_name(name) != name.lower():
        raise ValueError(f"allow-host must be a host name or IPv4 address, without scheme, port or path, got {name!r}")
    return name.lower()


def _host(headers: Headers) -> str:
    """Return the ``Host`` header. Several, which no browser sends, are joined into one that is malformed."""
    return ", ".join(headers.getlist("host"))


def _host_name(host: str) -> str | None:
    """Return the name in a ``Host`` header without port and IPv6 brackets; ``None`` if the header is malformed."""
    found = _HOST.fullmatch(host)
    return None if found is None else (found[1] or found[2]).lower()


def _origin_name(origin: str) -> str | None:
    """Return the host name in an ``Origin`` header; ``None`` if the scheme is not HTTP."""
    scheme, _, host = origin.partition("://")
    return _host_name(host) if scheme in ("http", "https") else None


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _same(given: str, wanted: str) -> bool:
    """Compare in constant time, so that timing reveals nothing about the token."""
    return hmac.compare_digest(given.encode(), wanted.encode())


def _limited(receive: Receive, headers: Headers) -> Receive:
    """Return a receiver that rejects bodies over the limit, by the declared length and by the bytes received.

    Raises:
        HTTPException: if the declared length is too large; the receiver raises it for the body itself.
    """
    error = HTTPException(413, f"The body is larger than {MAX_BODY // 1024} kB.")
    length = headers.get("content-length", "0")
    if not (length.isascii() and length.isdigit() and len(length) < 20) or int(length) > MAX_BODY:
        raise error
    received = 0

    async def limited() -> Message:
        nonlocal received
        message = await receive()
        received += len(message.get("body", b""))
        if received > MAX_BODY:
            raise error
        return message

    return limited
