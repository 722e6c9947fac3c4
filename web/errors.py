"""Errors of the API: a status, a code for programs and a message for people."""

from __future__ import annotations

from typing import Any

from starlette.responses import JSONResponse

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
}


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
