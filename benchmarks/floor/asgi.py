"""Stash's ASGI application, and the barest consumer there is beside it."""

from __future__ import annotations

from typing import Any

from channels.generic.websocket import AsyncWebsocketConsumer

from stash.asgi import application as stash

from floor.views import GROUP  # isort: skip  (only the line above sets Django up)


class Bare(AsyncWebsocketConsumer):
    async def connect(self) -> None:
        await self.channel_layer.group_add(GROUP, self.channel_name)
        await self.accept()

    async def shout(self, message: dict[str, str]) -> None:
        await self.send(text_data=message["text"])

    async def disconnect(self, code: int) -> None:
        await self.channel_layer.group_discard(GROUP, self.channel_name)


_bare = Bare.as_asgi()


async def application(scope: dict[str, Any], receive: Any, send: Any) -> None:
    is_ours = scope["type"] == "websocket" and scope["path"] == "/floor/ws/"
    await (_bare if is_ours else stash)(scope, receive, send)
