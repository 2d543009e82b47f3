"""What was found out lately, so that it need not be found out again."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class Recent(Generic[K, V]):
    """Values by key, of which the older half goes when there are more than `limit`."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._kept: dict[K, V] = {}

    def __len__(self) -> int:
        return len(self._kept)

    def get(self, key: K) -> V | None:
        return self._kept.get(key)

    def put(self, key: K, value: V) -> None:
        self._kept[key] = value
        if len(self._kept) > self._limit:
            for old in list(self._kept)[: self._limit // 2]:
                del self._kept[old]
