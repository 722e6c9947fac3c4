"""Requests about the person's statistics: read, save as a file, delete."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from german_whist.web.service import Service


class StatisticsHandlers:
    """The functions behind the addresses."""

    def __init__(self, service: Service) -> None:
        """Answer from a service."""
        self.service = service

    def routes(self, prefix: str) -> list[Route]:
        """Return the addresses below a prefix."""
        return [
            Route(f"{prefix}/statistics", self.show, methods=["GET"]),
            Route(f"{prefix}/statistics", self.delete, methods=["DELETE"]),
            Route(f"{prefix}/statistics/export", self.export, methods=["GET"]),
        ]

    async def show(self, request: Request) -> Response:
        """The statistics."""
        return await self.service.answer(self.service.statistics.summary)

    async def delete(self, request: Request) -> Response:
        """Forget everything."""

        def clear() -> dict[str, Any]:
            self.service.statistics.clear()
            return {}

        return await self.service.answer(clear)

    async def export(self, request: Request) -> Response:
        """Everything as a file to save."""
        text = await self.service.in_thread(self.service.statistics.export)
        headers = {"content-disposition": 'attachment; filename="german-whist-statistics.json"'}
        return Response(text, media_type="application/json", headers=headers)
