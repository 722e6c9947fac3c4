"""Shards: a match's deals cut into ranges of nearly the same size."""

from __future__ import annotations

import re
from dataclasses import dataclass

from german_whist.envs.utils.checks import whole_number
from german_whist.envs.utils.specs import short_repr


@dataclass(frozen=True, order=True)
class Shard:
    """One of several shares of a match, written ``3/64``.

    Attributes:
        number: which one, from 1.
        count: how many there are.
    """

    number: int
    count: int

    def __post_init__(self) -> None:
        """Refuse a shard that does not exist.

        Raises:
            ValueError: when ``number`` is not from 1 to ``count``.
        """
        whole_number("number of shards", self.count, 1)
        whole_number("shard", self.number, 1, self.count)

    def __str__(self) -> str:
        return f"{self.number}/{self.count}"

    def deals(self, total: int, unit: str = "deals") -> range:
        """Return the shard's deals out of deals 0 … total − 1.

        Args:
            total: number of deals.
            unit: what they are called in an error.

        Raises:
            ValueError: when there are fewer deals than shards.
        """
        if total < self.count:
            raise ValueError(f"{total} {unit} cannot be cut into {self.count} shards: each needs one")
        return range(total * (self.number - 1) // self.count, total * self.number // self.count)


def parse_shard(text: str) -> Shard:
    """Return the shard that a text such as ``"3/64"`` names.

    Raises:
        ValueError: when it is not of this form, or there is no such shard.
    """
    found = re.fullmatch(r"(\d{1,9})/(\d{1,9})", text.strip())
    if not found:
        raise ValueError(f"shard {short_repr(text)} is not NUMBER/COUNT, such as 3/64")
    return Shard(int(found[1]), int(found[2]))
