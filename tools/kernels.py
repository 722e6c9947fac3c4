"""Compiles the page's kernels to WebAssembly: ``make kernels``.

Numba compiles ``table/page_kernels.py`` to LLVM's text, llvmlite that to objects for wasm32, and ``wasm-ld`` (Debian's
``lld``) these to ``table/page/rules.wasm`` and ``bots.wasm``. The modules import nothing and carry the layouts of their
records. ``table/page_kernels.json`` says of which code they are made, and with which versions: others make other bytes.
"""

from __future__ import annotations

import argparse
import ast
import hashlib
import inspect
import json
import os
import platform
import re
import subprocess
import sys
import tempfile
import textwrap
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[1] / "table"
PAGE, BUILT = FOLDER / "page", FOLDER / "page_kernels.json"
COMMAND = "make kernels"

# Read when numba is imported: the machine that builds must not show.
_ENVIRONMENT = {"NUMBA_OPT": "0", "NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": "", "GERMAN_WHIST_CACHE": ""}
_TARGET = "wasm32-unknown-unknown"
_FEATURES = "+simd128,+bulk-memory,+sign-ext,+nontrapping-fptoint,+mutable-globals"
_STACK = 65_536  # bytes
# Functions of numba's that kernels call: the first one begins the report of an exception, and no kernel raises one; the
# second one computes the strides of a contiguous array in another shape.
_DEFINITIONS = {
    "numba_gil_ensure": "define linkonce_odr void @numba_gil_ensure(ptr %x) {\n unreachable\n}",
    "numba_attempt_nocopy_reshape": """
define linkonce_odr i32
@numba_attempt_nocopy_reshape(i64, ptr, ptr, i64 %axes, ptr %shape, ptr %strides, i64 %item, i32) {
start:
  br label %test
test:
  %axis = phi i64 [ %axes, %start ], [ %next, %loop ]
  %stride = phi i64 [ %item, %start ], [ %product, %loop ]
  %more = icmp sgt i64 %axis, 0
  br i1 %more, label %loop, label %end
loop:
  %next = sub i64 %axis, 1
  %to = getelementptr i64, ptr %strides, i64 %next
  store i64 %stride, ptr %to
  %from = getelementptr i64, ptr %shape, i64 %next
  %size = load i64, ptr %from
  %product = mul i64 %stride, %size
  br label %test
end:
  ret i32 1
}""",
}
_FAST = ("alpha_beta", "write_layer")  # functions with such names are compiled for speed, not size


def versions() -> dict[str, str]:
    """Return the versions on which a module's bytes depend."""
    import llvmlite
    import numba

    return {"python": platform.python_version(), "numba": numba.__version__, "llvmlite": llvmlite.__version__}


def digest() -> str:
    """Return a digest of all code and constants that the modules are made of, without docstrings and comments."""
    from german_whist.table.page_kernels import MODULES, RECORDS

    parts = [f"{name} {_layout(dtype)}" for name, dtype in RECORDS.items()]
    seen: set[int] = set()
    for name, functions in MODULES.items():
        for function, signature in functions.items():
            parts += [f"{name} {function.__name__} {signature}", *_code(function, seen)]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]


def _code(function: Any, seen: set[int]) -> Iterator[str]:
    """Yield the code of a function and, once each, of everything that it refers to."""
    if id(function) in seen:
        return
    seen.add(id(function))
    (tree,) = ast.parse(textwrap.dedent(inspect.getsource(function))).body
    assert isinstance(tree, ast.FunctionDef)
    if ast.get_docstring(tree) is not None:
        del tree.body[0]
    tree.decorator_list = []
    yield ast.unparse(tree)
    names = {node.id: None for node in ast.walk(tree) if isinstance(node, ast.Name)}
    for name in names:
        if name in function.__globals__:
            yield from _value(name, function.__globals__[name], seen)


def _value(name: str, value: Any, seen: set[int]) -> Iterator[str]:
    """Yield what a global name of kernels stands for: code, a layout or a constant."""
    import numpy as np
    from numba.core.dispatcher import Dispatcher
    from numba.core.extending import _Intrinsic

    if isinstance(value, Dispatcher):
        yield from _code(value.py_func, seen)
    elif isinstance(value, _Intrinsic):
        yield from _code(value._defn, seen)
    elif inspect.isfunction(value) and value.__module__.startswith("german_whist."):
        yield from _code(value, seen)
    elif isinstance(value, (np.ndarray, np.generic)):
        yield f"{name} {value.dtype} {value.tolist()}"
    elif isinstance(value, np.dtype):
        yield f"{name} {_layout(value)}"
    elif hasattr(value, "_fields"):  # a named tuple, or its class
        yield f"{name} {value._fields}"
    elif isinstance(value, (bool, int, float, str, tuple)):
        yield f"{name} {value!r}"
    elif inspect.ismodule(value) and value.__name__.startswith("german_whist."):
        yield from (
            part for one in vars(value).values() if isinstance(one, Dispatcher) for part in _code(one.py_func, seen)
        )


def _layout(dtype: Any) -> dict[str, Any]:
    """Return a record's size and fields as the page reads them: offset, kind and shape of each."""
    fields = {
        re.sub(r"_(\w)", lambda letter: letter[1].upper(), name): [offset, field.base.str[1:], list(field.shape)]
        for name, (field, offset, *_) in dtype.fields.items()
    }
    return {"size": dtype.itemsize, "fields": fields}


def _records(functions: dict[Any, Any]) -> bytes:
    """Return the layouts of the records that a module's functions take, as a section of the module."""
    from numba import from_dtype, types

    from german_whist.table.page_kernels import RECORDS

    used = {argument for signature in functions.values() for argument in signature.args}
    layouts = {name: _layout(dtype) for name, dtype in RECORDS.items() if types.CPointer(from_dtype(dtype)) in used}
    name, content = b"records", json.dumps(layouts, separators=(",", ":")).encode()
    body = bytes([len(name)]) + name + content
    return b"\0" + _leb128(len(body)) + body  # section 0: custom


def _leb128(number: int) -> bytes:
    parts = []
    while number > 0x7F:
        parts.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*parts, number])


def _module_of(functions: dict[Any, Any], machine: Any) -> Any:
    """Return the LLVM module of some functions."""
    import llvmlite.binding as llvm
    import numba

    from german_whist.game.utils.private_parts import reference_counts

    warnings.simplefilter("ignore", numba.NumbaWarning)  # a function of addresses cannot be cached
    options: Any = {"error_model": "numpy", **reference_counts(is_counted=False)}  # kernels are compiled so
    linked = None
    for function, signature in functions.items():
        compiled = numba.cfunc(signature, **options)(function)
        text = compiled.inspect_llvm().replace(compiled.native_name, function.__name__)
        text = re.sub(r"^target datalayout = .*$", f'target datalayout = "{machine.target_data}"', text, flags=re.M)
        text = re.sub(r"^target triple = .*$", f'target triple = "{_TARGET}"', text, flags=re.M)
        for called, definition in _DEFINITIONS.items():
            text = re.sub(rf"^declare .*@{called}\(.*$", definition, text, flags=re.M)
        module = llvm.parse_assembly(text)
        if linked is None:
            linked = module
        else:
            linked.link_in(module)
    return linked


def _object(functions: dict[Any, Any]) -> bytes:
    """Compile functions to an object for wasm32.

    Raises:
        ValueError: if the code calls an address of this machine.
    """
    import llvmlite.binding as llvm

    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    target = llvm.Target.from_triple(_TARGET)
    machine = target.create_target_machine(cpu="generic", features=_FEATURES, opt=2, reloc="static")
    module = _module_of(functions, machine)
    names = {function.__name__ for function in functions}
    for part in [*module.functions, *module.global_variables]:
        if not part.is_declaration and part.name not in names:
            part.linkage = "internal"
    for part in module.functions:
        if not part.is_declaration and not any(name in part.name for name in _FAST):
            part.add_function_attribute("optsize")
    builder = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(speed_level=2))
    builder.getModulePassManager().run(module, builder)
    if address := re.search(r"inttoptr \(i64 \d+.*", str(module)):
        raise ValueError(f"a kernel calls itself with other types than it was called with: {address[0]}")
    compiled: bytes = machine.emit_object(module)
    return compiled


def _linked(compiled: bytes, functions: dict[Any, Any]) -> bytes:
    """Link an object to a module; ``wasm-ld`` names what is called and not there, such as an allocator.

    Raises:
        CalledProcessError: if anything is missing.
    """
    with tempfile.TemporaryDirectory() as folder:
        given, made = Path(folder) / "kernels.o", Path(folder) / "kernels.wasm"
        given.write_bytes(compiled)
        exported = [f"--export={name}" for name in ("__heap_base", *(one.__name__ for one in functions))]
        options = ["--no-entry", "--strip-all", "--gc-sections", "-z", f"stack-size={_STACK}"]
        subprocess.run(["wasm-ld", *options, *exported, str(given), "-o", str(made)], check=True)
        return made.read_bytes()


def build(folder: Path) -> None:
    """Write the modules into a folder."""
    from german_whist.table.page_kernels import MODULES

    for name, functions in MODULES.items():
        content = _linked(_object(functions), functions) + _records(functions)
        (folder / f"{name}.wasm").write_bytes(content)


def main() -> None:
    """Write the modules and what they are made of."""
    parser = argparse.ArgumentParser(prog="python -m tools.kernels", description=__doc__)
    parser.add_argument("--out", type=Path, help="write the modules into this folder, and nothing else")
    given = parser.parse_args()
    if any(os.environ.get(name) != value for name, value in _ENVIRONMENT.items()):
        command = [sys.executable, "-m", "tools.kernels", *sys.argv[1:]]
        sys.exit(subprocess.run(command, env=os.environ | _ENVIRONMENT, check=False).returncode)
    build(given.out or PAGE)
    if given.out is None:
        BUILT.write_text(json.dumps({"digest": digest(), **versions()}, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
