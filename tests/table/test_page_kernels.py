"""The page's modules are made of the kernels as they are now, and import nothing."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from german_whist.agents.pretrained import load_pretrained
from german_whist.table.page_data import NETWORKS
from german_whist.table.page_kernels import MAX_INPUTS, MAX_LAYERS, MAX_UNITS, MAX_WEIGHTS
from tests.table.node import needs_node
from tools.kernels import BUILT, COMMAND, PAGE, digest, versions

MODULES = ("rules.wasm", "bots.wasm")
IMPORTS = """
const { readFileSync } = await import("node:fs");
for (const path of process.argv.slice(1)) {
  const module = new WebAssembly.Module(readFileSync(path));
  console.log(JSON.stringify(WebAssembly.Module.imports(module)));
}
"""


def test_the_modules_are_made_of_the_kernels_as_they_are_now() -> None:
    made_of = json.loads(BUILT.read_text(encoding="utf-8"))["digest"]
    assert made_of == digest(), f"the kernels or their records have changed: install Debian's lld and run `{COMMAND}`"


@needs_node
def test_the_modules_import_nothing() -> None:
    command = ["node", "--input-type=module", "--eval", IMPORTS, *(str(PAGE / name) for name in MODULES)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["[]", "[]"]


@pytest.mark.nightly
def test_building_them_again_gives_the_same_bytes(tmp_path: Path) -> None:
    built = json.loads(BUILT.read_text(encoding="utf-8"))
    if shutil.which("wasm-ld") is None:
        pytest.skip("wasm-ld is not installed (Debian's lld)")
    if {name: built[name] for name in versions()} != versions():
        pytest.skip(f"the modules were built with other versions: {built}")
    subprocess.run([sys.executable, "-m", "tools.kernels", "--out", str(tmp_path)], check=True)
    for name in MODULES:
        assert (tmp_path / name).read_bytes() == (PAGE / name).read_bytes()


@pytest.mark.parametrize("name", NETWORKS)
def test_networks_fit_into_the_memory_of_the_page(name: str) -> None:
    checkpoint = load_pretrained(name)
    for packed in filter(None, (checkpoint.packed, checkpoint.packed_value)):
        assert len(packed.layers) <= MAX_LAYERS
        assert packed.memory.size <= MAX_WEIGHTS
        assert packed.layers[:, 1].max() <= MAX_INPUTS
        assert packed.layers[:, 2].max() <= MAX_UNITS
