"""Runs the examples, each library in its own virtual environment: ``python examples/run_all.py [NAME …]``.

``versions.toml`` says what to install and which files to run; of a page, its Python blocks are run. The environments
are kept in ``.venv-examples``.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import time
import tomllib
import venv
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parent
PAGE = r"""
import re, sys
for code in re.findall("^```python\n(.*?)^```", open(sys.argv[1], encoding="utf-8").read(), re.M | re.S):
    exec(code, {"__name__": "page"})
"""
NOTEBOOK = "import nbformat, nbclient, sys; nbclient.NotebookClient(nbformat.read(sys.argv[1], 4)).execute()"


def package_of(line: str) -> str:
    """Return the normalised package name in a requirements line."""
    return re.sub(r"[-_.]+", "-", re.split(r"[\[=<>~! ]", line.strip())[0]).lower()


def constraints(table: dict[str, list[str]]) -> str:
    """Return the project's constraints, overridden by the versions in a library's table."""
    own = [line for line in table["install"] + table.get("instead", []) if "==" in line]
    replaced = {package_of(line) for line in own}
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    kept = [line for line in lines if line and not line.startswith("#") and package_of(line) not in replaced]
    return "\n".join([*kept, *(re.sub(r"\[.*\]", "", line) for line in own)]) + "\n"


def make_environment(folder: Path, table: dict[str, list[str]]) -> Path:
    """Install a library and this package, unless they are installed, and return the interpreter."""
    python = folder / "bin" / "python"
    wanted, installed = f"# {table['install']}\n{constraints(table)}", folder / "constraints.txt"
    if not installed.exists() or installed.read_text(encoding="utf-8") != wanted:
        venv.create(folder, with_pip=True, clear=True)
        fixed = folder / "wanted.txt"
        fixed.write_text(wanted, encoding="utf-8")
        pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-c", fixed]
        if any(line.startswith("torch==") for line in table["install"]):
            subprocess.run([python, ROOT / "tools" / "torch_build.py", fixed], check=True)
        subprocess.run([*pip, *table["install"], str(ROOT)], check=True)
        fixed.rename(installed)
    subprocess.run([python, "-m", "pip", "install", "--quiet", "--no-deps", "--force-reinstall", str(ROOT)], check=True)
    return python


def main(names: list[str]) -> int:
    """Run the examples of some libraries, by default all, and return the number of failures."""
    tables = tomllib.loads((HERE / "versions.toml").read_text(encoding="utf-8"))
    environment, failed = {**os.environ, "OMP_NUM_THREADS": "1"}, 0
    for name in names or tables:
        python = make_environment(ROOT / ".venv-examples" / name, tables[name])
        for file in tables[name]["run"]:
            start = time.monotonic()
            how = {".ipynb": ["-c", NOTEBOOK], ".md": ["-c", PAGE]}.get(Path(file).suffix, ["-W", "ignore"])
            print(f"{name}: {file}", flush=True)
            with tempfile.TemporaryDirectory() as folder:
                command = [python, *how, HERE / file]
                code = subprocess.run(command, env=environment, cwd=folder, check=False).returncode
            failed += code != 0
            print(f"  {'FAILED' if code else 'done'} in {time.monotonic() - start:.0f} s", flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
