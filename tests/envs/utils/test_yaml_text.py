"""YAML from users: what settings need is read as PyYAML reads it, and everything else is one line."""

from __future__ import annotations

import resource
import subprocess
import sys

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from german_whist.envs.utils.yaml_text import MAX_DEPTH, MAX_LENGTH, YamlError, parse_yaml

values = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**50), 10**50) | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)


@given(values)
def test_what_is_written_is_read_back(value: object) -> None:
    assert parse_yaml(yaml.safe_dump(value)) == value


@given(st.text(max_size=200) | st.text("[]{}:,-&*!<>|?#'\"\n\t 01ae.", max_size=60))
def test_any_text_is_read_as_by_pyyaml_or_refused_in_one_line(text: str) -> None:
    reason = None
    try:
        found = parse_yaml(text)
    except YamlError as error:
        reason = str(error)
    if reason is None:
        assert repr(found) == repr(yaml.safe_load(text))
    else:
        assert "\n" not in reason
        assert len(reason) <= 500


def bomb(levels: int) -> str:
    """Nested aliases: each level holds the one before nine times."""
    lines = [f"a0: &a0 [{', '.join(['x'] * 9)}]"]
    lines += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]" for i in range(1, levels)]
    return "\n".join(lines)


HOSTILE = {
    "aliases": bomb(9),
    "an alias of itself": "&a [*a]",
    "a merge key": "{<<: {seed: 1}}",
    "!!bool": "!!bool x",
    "!!timestamp": "!!timestamp x",
    "!!int": "!!int ''",
    "!!float": "!!float x",
    "!!binary": "!!binary x",
    "!!set": "!!set {a, b}",
    "!!python": "!!python/object/apply:os.getcwd []",
    "a tag of one's own": "!x 1",
    "brackets": "[" * 3000,
    "closed brackets": "[" * 3000 + "]" * 3000,
    "braces": "{a: " * 3000,
    "dashes": "- " * 3000 + "1",
    "question marks": "? " * 3000 + "1",
    "digits": "9" * 5000,
    "hexadecimal digits": "0x" + "f" * 5000,
    "a fraction": "1." + "9" * 5000,
    "sexagesimal digits": "1" + ":1" * 3000,
    "a key twice": "seed: 1\nseed: 2",
    "an impossible date": "2020-13-45",
    "a list as a key": "{[1]: 2}",
    "length": "a" * (MAX_LENGTH + 1),
    "many lines": "a: b\n" * 30_000,
    "two documents": "a: 1\n---\nb: 2",
    "control characters": "seed: \x01",
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_text_is_refused_in_one_line(text: str) -> None:
    with pytest.raises(YamlError, match=r"^not YAML: [^\n]{1,490}$"):
        parse_yaml(text)


@pytest.mark.skipif(sys.platform == "win32", reason="no limits of processes here")
def test_hostile_text_takes_little_memory() -> None:
    code = (
        "import sys\n"
        "from german_whist.envs.utils.yaml_text import parse_yaml\n"
        "for text in eval(sys.stdin.read()):\n"
        "    try: parse_yaml(text)\n"
        "    except ValueError: pass\n"
        "    else: sys.exit(1)\n"
    )

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_DATA, (300 << 20, 300 << 20))
        resource.setrlimit(resource.RLIMIT_CPU, (30, 30))

    subprocess.run(
        [sys.executable, "-c", code], input=repr(list(HOSTILE.values())), text=True, check=True, preexec_fn=limit
    )


def test_as_many_levels_as_allowed_are_read() -> None:
    assert parse_yaml("[" * MAX_DEPTH + "]" * MAX_DEPTH) is not None
    with pytest.raises(YamlError, match="more than 20 levels are nested"):
        parse_yaml("[" * (MAX_DEPTH + 1) + "]" * (MAX_DEPTH + 1))


def test_the_line_of_an_error_is_known() -> None:
    with pytest.raises(YamlError, match="'b' is given twice") as caught:
        parse_yaml("a: 1\nb: 2\nb: 3")
    assert caught.value.line == 3
