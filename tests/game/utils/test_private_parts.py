"""The private parts of libraries that ``game/utils/private_parts.py`` uses are there, and no other file uses one."""

from __future__ import annotations

import ast
import importlib.util
import sys
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from german_whist.game.utils import private_parts
from tests.packaging.pins import ROOT

FOLDERS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]["package-dir"]
MODULES = sorted({path for folder in FOLDERS.values() for path in (ROOT / folder).rglob("*.py")})


def makes_an_array() -> Any:
    return np.zeros(3)


def numba_reference_counts() -> None:
    """A kernel that counts no references cannot make an array."""
    import numba

    assert len(numba.njit(**private_parts.reference_counts(is_counted=True))(makes_an_array)()) == 3
    with pytest.raises(numba.TypingError):
        numba.njit(**private_parts.reference_counts(is_counted=False))(makes_an_array)()


def numba_cache() -> None:
    import numba

    assert hasattr(numba.njit(makes_an_array), "_cache")


def numba_cuda_redirector() -> None:
    if importlib.util.find_spec("numba_cuda") is not None:
        assert importlib.util.find_spec("_numba_cuda_redirector") is not None


def torch_foreach() -> None:
    import torch

    lists = [torch.ones(2), torch.full((3,), 4.0)], [torch.zeros(2), torch.zeros(3)]
    assert [float(norm) for norm in private_parts.foreach("norm")(lists[0])] == pytest.approx([2**0.5, 48**0.5])
    assert all(map(callable, map(private_parts.foreach, ("addcmul_", "clamp_min", "div", "lerp"))))
    private_parts.foreach("lerp_")(*lists, 0.25)
    assert [one.tolist() for one in lists[0]] == [[0.75] * 2, [3.0] * 3]


def torch_adam() -> None:
    """Two steps are those of ``torch.optim.Adam``'s formula."""
    import torch

    weight, moments, steps = torch.ones(2), (torch.zeros(2), torch.zeros(2)), torch.zeros(())
    for _ in range(2):
        private_parts.step_adam(
            [weight], [torch.tensor([3.0, -0.5])], ([moments[0]], [moments[1]]), [steps], rate=0.1, epsilon=1e-5
        )
    torch.testing.assert_close(weight, torch.tensor([0.8, 1.2]), atol=1e-5, rtol=0.0)
    assert float(steps) == 2


def torch_bfloat16() -> None:
    import torch

    assert hasattr(torch.cpu, "_is_avx512_bf16_supported")
    assert private_parts.has_bfloat16_products() in (False, True)


def pettingzoo_mask() -> None:
    from pettingzoo.utils.wrappers import TerminateIllegalWrapper

    import german_whist as gw

    env = gw.raw_env()
    env.reset(seed=0)
    wrapper = TerminateIllegalWrapper(env, illegal_reward=-1)
    assert hasattr(wrapper, "_prev_obs")
    private_parts.set_action_mask(wrapper, np.zeros(env.action_space(env.agent_selection).n, np.int8))
    legal = int(env.last()[0]["action_mask"].argmax())
    wrapper.step(legal)
    assert all(wrapper.terminations.values())


PARTS: dict[str, Callable[[], None]] = {
    "numba: option _nrt": numba_reference_counts,
    "numba: Dispatcher._cache": numba_cache,
    "numba-cuda: _numba_cuda_redirector": numba_cuda_redirector,
    "torch._foreach_*": torch_foreach,
    "torch.optim.adam.adam": torch_adam,
    "torch.cpu._is_avx512_bf16_supported": torch_bfloat16,
    "PettingZoo: TerminateIllegalWrapper._prev_obs": pettingzoo_mask,
}


@pytest.mark.parametrize("part", PARTS)
def test_private_part_of_library_is_there(part: str) -> None:
    PARTS[part]()


def private_names(module: Path) -> Iterator[str]:
    """Yield the private names of other libraries in a module: imported, or attributes of what is imported."""
    tree = ast.parse(module.read_text(encoding="utf-8"))
    roots: set[str] = set()
    for node in ast.walk(tree):
        names = node.names if isinstance(node, (ast.Import, ast.ImportFrom)) else []
        for name in names:
            path = f"{getattr(node, 'module', None) or ''}.{name.name}".strip(".")
            if path.split(".")[0] not in {"german_whist", "__future__", *sys.stdlib_module_names}:
                roots.add(name.asname or name.name.split(".")[0])
                yield from ([path] if "._" in f".{path}" else [])
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and ast.unparse(node).split(".")[0] in roots:
            private = node.attr.startswith("_") and not node.attr.startswith("__")
            yield from ([ast.unparse(node)] if private else [])


def test_private_names_of_libraries_are_in_one_file() -> None:
    found = {str(path.relative_to(ROOT)): names for path in MODULES if (names := [*private_names(path)])}
    assert set(found) == {"game/utils/private_parts.py"}, found
