"""What was found out lately, so that it need not be found out again."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class Recent(Generic[K, V]):
    """Values by key, the last one always among them. When the sizes of the keys are more than `limit` together, the
    older ones go, until half of that is left."""

    def __init__(self, limit: int, size: Callable[[K], int]) -> None:
        self._limit = limit
        self._size = size
        self._total = 0
        self._kept: dict[K, V] = {}

    def __len__(self) -> int:
        return len(self._kept)

    def get(self, key: K) -> V | None:
        return self._kept.get(key)

    def put(self, key: K, value: V) -> None:
        if key not in self._kept:
            self._total += self._size(key)
        self._kept[key] = value
        if self._total > self._limit:
            for old in list(self._kept)[:-1]:
                if self._total <= self._limit // 2:
                    break
                del self._kept[old]
                self._total -= self._size(old)
