"""Endgames in tensors on a GPU: every value is looked up in a complete table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from german_whist.game.utils.backend import StructTensor, TorchBackend
from german_whist.solver.device_kernels import (
    write_hands,
    write_is_invalid,
    write_known_tricks,
    write_tricks_by_seat,
)
from german_whist.solver.endgame_batch import FULL_DECK_MASK
from german_whist.solver.tablebase.cache import open_complete_tablebase

if TYPE_CHECKING:
    from torch import Tensor


def leaders_tricks(
    device: TorchBackend, leaders: Tensor, followers: Tensor, trumps: Tensor, lows: Tensor, leds: Tensor
) -> Tensor:
    """Return how many tricks the leaders take in perfect play, int8[n], looked up in complete tables.

    Args:
        device: where all tensors are.
        leaders: hands, with or without the card led, uint64[n].
        followers: hands, uint64[n].
        trumps: trump suits, int8[n]; −1 for none.
        lows: whether the fewest tricks win, bool[n].
        leds: cards led, int8[n]; −1 for none.
    """
    import torch

    tricks = torch.empty(len(leaders), dtype=torch.int8, device=device.torch_device)
    for trump in (True, False):
        for low in (False, True):
            rows = (((trumps >= 0) == trump) & (lows == low)).nonzero().squeeze(1)
            if len(rows):
                tablebase = open_complete_tablebase(trump, low)
                device.launch(write_known_tricks, len(rows), tablebase, leaders, followers, trumps, leds, rows, tricks)
    return tricks


def solve_endgames_on(device: TorchBackend, leaders: Any, followers: Any, trumps: Any, lows: Any, leds: Any) -> Tensor:
    """Return what ``solve_endgames`` returns, int8[n], for endgames in tensors on a GPU.

    Raises:
        ValueError: if a row is not an endgame of 1 to 13 cards a hand; the message names the row.
    """
    import torch

    def tensor(name: str, given: Any, low: int, high: int) -> Tensor:
        if isinstance(given, np.ndarray) and given.dtype == np.uint64:
            given = given.view(np.int64)
        values = torch.as_tensor(given, device=device.torch_device)
        if values.dtype == torch.uint64:
            values = values.view(torch.int64)
        if values.is_floating_point() or values.is_complex() or values.ndim > 1:
            raise ValueError(f"{name} must be int[n], got {values.dtype}{list(values.shape)}")
        values = values.to(torch.int64)
        outside = (values < low) | (values > high)
        if bool(outside.any()):
            raise ValueError(f"{name} must be integers from {low} to {high}, got {int(values[outside][0])}")
        return values  # int64: torch does little with uint64, and a mask of 52 cards is never negative

    own, other = tensor("leaders", leaders, 0, FULL_DECK_MASK), tensor("followers", followers, 0, FULL_DECK_MASK)
    if own.ndim != 1 or own.shape != other.shape:
        raise ValueError(f"followers must be int[{len(own)}], as many as leaders, got {list(other.shape)}")
    count = len(own)
    suits = tensor("trumps", trumps, -1, 3).to(torch.int8).expand(count).contiguous()
    played = tensor("leds", leds, -1, 51).to(torch.int8).expand(count).contiguous()
    fewest = tensor("lows", lows, 0, 1).to(torch.bool).expand(count).contiguous()
    hands = own.contiguous().view(torch.uint64), other.contiguous().view(torch.uint64)
    wrong = torch.empty(count, dtype=torch.bool, device=device.torch_device)
    device.launch(write_is_invalid, count, *hands, played, wrong)
    if bool(wrong.any()):
        row = int(wrong.nonzero()[0])
        raise ValueError(f"row {row} is not an endgame: it needs two hands of the same size, 1 to 13 different cards")
    return leaders_tricks(device, *hands, suits, fewest, played)


def tricks_of_states(states: StructTensor) -> Tensor:
    """Return the tricks that both seats take in perfect play of the endgame, int8[k, 2] by seat.

    Args:
        states: records of ``STATE``, each before the first card of its endgame.
    """
    import torch

    device, count, torch_device = TorchBackend(states.bytes.device), len(states), states.bytes.device
    hands = torch.empty((2, count), dtype=torch.uint64, device=torch_device)
    trumps = torch.empty(count, dtype=torch.int8, device=torch_device)
    device.launch(write_hands, count, states, hands[0], hands[1], trumps)
    lows, leds = states["low"] == 1, torch.full((count,), -1, dtype=torch.int8, device=torch_device)
    tricks = leaders_tricks(device, hands[0], hands[1], trumps, lows, leds)
    out = torch.empty((count, 2), dtype=torch.int8, device=torch_device)
    device.launch(write_tricks_by_seat, count, states, tricks, out)
    return out
