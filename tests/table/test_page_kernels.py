"""The page's modules are made of the kernels as they are now, and import nothing but memory."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

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
def test_the_modules_import_nothing_but_memory() -> None:
    command = ["node", "--input-type=module", "--eval", IMPORTS, *(str(PAGE / name) for name in MODULES)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    for line in done.stdout.splitlines():
        assert json.loads(line) == [{"module": "env", "name": "memory", "kind": "memory"}]


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
