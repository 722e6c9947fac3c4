"""Requests of the API: their bodies, checked before anything happens, and the errors that answer them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse

from german_whist.arena.strict_json import check_object, read_json
from german_whist.envs.utils.checks import is_whole_number
from german_whist.envs.utils.specs import integers, must_be

MAX_TEXT = 200  # letters of a specification
LARGEST = 2**64 - 1
CODES = {
    400: "bad_request",
    403: "forbidden",
    404: "not_found",
    405: "method_not_allowed",
    409: "conflict",
    413: "too_large",
    415: "unsupported_type",
    429: "too_many",
    500: "server_error",
    507: "insufficient_storage",
}

_NAMES = {str: "a text", int: integers(0, LARGEST), bool: "true or false"}


class ApiError(Exception):
    """An error that is answered as JSON.

    Attributes:
        status: the HTTP status.
        code: the code for programs.
        extra: further fields of the answer.
    """

    def __init__(self, status: int, message: str, code: str | None = None, extra: dict[str, Any] | None = None) -> None:
        """Set the fields; the code follows from the status by default."""
        super().__init__(message)
        self.status = status
        self.code = code or CODES[status]
        self.extra = extra or {}


def error_response(error: ApiError) -> JSONResponse:
    """Return the answer to a request that failed."""
    body = {"error": {"code": error.code, "message": str(error)}, **error.extra}
    return JSONResponse(body, error.status)


async def read_body(request: Request, fields: Mapping[str, type], *, longest: int = MAX_TEXT) -> dict[str, Any]:
    """Return the fields of a request's body; those that were not sent, or sent as ``null``, are missing.

    Args:
        request: the request.
        fields: the fields that are known, with their types.
        longest: the longest text allowed, in letters.

    Raises:
        ApiError: if the body is not a JSON object of these fields.
    """
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise ApiError(415, "The body has to be application/json.")
    body = await request.body()
    try:
        given = check_object(read_json(body.decode(), "body"), "body", tuple(fields) or ("",))
    except ValueError as error:  # UnicodeDecodeError included
        raise ApiError(400, str(error)) from None
    found = {name: value for name, value in given.items() if value is not None}
    for name, value in found.items():
        _check(name, value, fields[name], longest)
    return found


def needed(body: Mapping[str, Any], name: str) -> Any:
    """Return a field that has to be there.

    Raises:
        ApiError: if it is not.
    """
    if name not in body:
        raise ApiError(400, f"body: {name!r} is missing")
    return body[name]


def whole_parameter(request: Request, name: str) -> int | None:
    """Return an integer from the query, ``None`` if it is not there.

    Raises:
        ApiError: if it is not an integer.
    """
    text = request.query_params.get(name)
    if text is None:
        return None
    if not (text.isascii() and text.isdigit() and len(text) < len(str(LARGEST))):
        raise ApiError(400, must_be(name, integers(0), text))
    return int(text)


def _check(name: str, value: Any, kind: type, longest: int) -> None:
    if kind is int:
        fits = is_whole_number(value, 0, LARGEST)
    elif kind is str:
        fits = isinstance(value, str) and len(value) <= longest
    else:
        fits = isinstance(value, kind)
    if not fits:
        expected = f"a text of at most {longest} letters" if kind is str else _NAMES[kind]
        raise ApiError(400, must_be(f"body: {name}", expected, value))
