"""Requests of the API: their bodies, checked before anything happens, and the errors that answer them."""

from __future__ import annotations

from typing import TypeVar

import msgspec
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse

from german_whist.envs.utils.specs import integers, must_be
from german_whist.evaluation.strict_json import read_json
from german_whist.web.schema import Body, ErrorAnswer, ErrorCode, Session

LARGEST = 2**64 - 1
CODES: dict[int, ErrorCode] = {
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

AnyBody = TypeVar("AnyBody", bound=Body)


class ApiError(Exception):
    """An error that is answered as JSON.

    Attributes:
        status: the HTTP status.
        code: the code for programs.
        session: the session as it is now, where another window has changed it.
    """

    def __init__(
        self, status: int, message: str, code: ErrorCode | None = None, session: Session | None = None
    ) -> None:
        """Set the fields; the code follows from the status by default."""
        super().__init__(message)
        self.status = status
        self.code = code or CODES[status]
        self.session = session


def error_response(error: ApiError) -> JSONResponse:
    """Return the answer to a request that failed."""
    body: ErrorAnswer = {"error": {"code": error.code, "message": str(error)}}
    if error.session is not None:
        body["session"] = error.session
    return JSONResponse(body, error.status)


async def read_body(request: Request, kind: type[AnyBody]) -> AnyBody:
    """Return a request's body.

    Raises:
        ApiError: if it is not a JSON object of this kind; the message says where.
    """
    given = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if given != "application/json":
        raise ApiError(415, "The body has to be application/json.")
    try:
        body = await request.body()
    except ClientDisconnect:
        raise ApiError(400, "The body has broken off.") from None  # which nobody reads
    try:
        return msgspec.convert(read_json(body.decode(), "body"), kind)
    except msgspec.ValidationError as error:
        what, _, path = str(error).partition(" - at `$")
        where, expected = f"body{path.removesuffix('`')}", what.removeprefix("Expected ")
        raise ApiError(400, f"{where}: {what}" if expected == what else f"{where} must be {expected}") from None
    except ValueError as error:  # UnicodeDecodeError included
        raise ApiError(400, str(error)) from None


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
