"""Directives that write reference pages from the code: commands, training settings, games and agents.

Each directive asks the package for its facts and turns them into Markdown, which the page's own parser reads. So the
pages cannot say anything that the code does not.
"""

from __future__ import annotations

import argparse
import json
import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, ClassVar

import numpy.typing as npt
from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from sphinx.util.typing import stringify_annotation


class MarkdownDirective(SphinxDirective, ABC):
    """A directive whose content is Markdown that the code writes."""

    has_content = False

    @abstractmethod
    def markdown(self) -> str:
        """Return what stands in place of the directive."""

    def run(self) -> list[nodes.Node]:
        """Parse the Markdown as part of the page, headings included."""
        self.env.note_reread()  # the code may have changed where the page has not
        return self.parse_text_to_nodes(self.markdown(), allow_section_headings=True)


# The pages of docs/reference/api, and the modules whose public names each describes.
API_PAGES = {
    "environments": ("envs.pettingzoo_env", "envs.text_env", "simulator"),
    "games": ("game",),
    "agents": ("agents",),
    "matches": ("evaluation",),
    "endgames": ("solver",),
    "training": ("training",),
}


def public_names(modules: Iterable[str]) -> list[str]:
    """Return the public names that some modules, or modules below them, define."""
    import german_whist as gw

    prefixes = tuple(f"german_whist.{module}." for module in modules)
    return [name for name in gw.__all__ if f"{getattr(gw, name).__module__}.".startswith(prefixes)]


class PublicNames(MarkdownDirective):
    """The public names of the modules that are named, in full; by default those of the page."""

    optional_arguments = 1
    final_argument_whitespace = True

    def markdown(self) -> str:
        """Return an entry for each name."""
        import german_whist as gw

        page = Path(self.env.docname).name
        lines = ["```{eval-rst}"]
        for name in public_names(self.arguments[0].split() if self.arguments else API_PAGES[page]):
            value = getattr(gw, name)
            if not isinstance(value, type):
                lines += [f".. autofunction:: german_whist.{name}", ""]
            else:
                kind = "autoexception" if issubclass(value, Exception) else "autoclass"
                lines += [f".. {kind}:: german_whist.{name}", "   :members:", ""]
        return "\n".join([*lines, "```"])


class PublicIndex(MarkdownDirective):
    """The public names, page by page."""

    def markdown(self) -> str:
        """Return a table.

        Raises:
            ValueError: if a public name is on no page.
        """
        import german_whist as gw

        rows = {page: public_names(modules) for page, modules in API_PAGES.items()}
        if missing := set(gw.__all__) - {name for names in rows.values() for name in names}:
            raise ValueError(f"no page of the API describes {sorted(missing)}")
        lines = ["| page | names |", "| --- | --- |"]
        for page, names in rows.items():
            links = ", ".join(f"{{py:obj}}`~german_whist.{name}`" for name in names)
            lines.append(f"| [{page.capitalize()}]({page}.md) | {links} |")
        return "\n".join(lines)


class CommandLine(MarkdownDirective):
    """Every command of a parser, with its arguments, options and example."""

    def markdown(self) -> str:
        """Return a section for each command."""
        from german_whist.cli import build_parser

        return "\n".join(line for name, parser in commands(build_parser()) for line in _command(name, parser))


def commands(parser: argparse.ArgumentParser) -> Iterator[tuple[str, argparse.ArgumentParser]]:
    """Yield the full name and the parser of every command that can be run, in the parser's order."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for command in action.choices.values():
                yield command.prog, command
                yield from commands(command)


def _command(name: str, parser: argparse.ArgumentParser) -> list[str]:
    level = "##" if name.count(" ") == 1 else "###"
    lines = [f"{level} {name}", "", _plain(parser.description or ""), "", "```text"]
    usage = parser.format_usage().rstrip()
    lines += [line[len("usage: ") :] for line in usage.splitlines()]
    lines += ["```", ""]
    rows = []
    for group in parser._action_groups:
        if group.title == "settings":  # of training, which have a page of their own
            lines += [f"Every key of [Training settings](training-settings.md) is an option: {group.description}.", ""]
        else:
            rows += [_option(parser, action) for action in group._group_actions if _is_shown(action)]
    if rows:
        lines += ["| argument | meaning |", "| --- | --- |", *rows, ""]
    return [*lines, *_epilog(parser.epilog or "")]


def _is_shown(action: argparse.Action) -> bool:
    hidden = isinstance(action, (argparse._HelpAction, argparse._SubParsersAction))
    return not hidden and action.help is not argparse.SUPPRESS


def _option(parser: argparse.ArgumentParser, action: argparse.Action) -> str:
    value = parser._get_formatter()._format_args(action, action.dest.upper())
    names = ", ".join(action.option_strings)
    meaning = _plain((action.help or "") % {**vars(action), "prog": parser.prog}).replace("|", r"\|")
    return f"| `{f'{names} {value}'.strip()}` | {meaning} |"


def _epilog(text: str) -> list[str]:
    """Return the lines below a command's help: those of an example as code, lists as they stand."""
    lines: list[str] = []
    for paragraph in text.strip().split("\n\n"):
        title, colon, rest = paragraph.partition(":")
        if colon and title in ("example", "examples"):
            code = [line.strip() for line in rest.strip().splitlines()]
            lines += [f"{title.capitalize()}:", "", "```sh", *code, "```", ""]
        elif paragraph:
            lines += ["```text", *paragraph.splitlines(), "```", ""]
    return lines


class TrainingSettings(MarkdownDirective):
    """Every training setting, in a table for all trainers and one for each group of them that shares some."""

    def markdown(self) -> str:
        """Return a section for each group of trainers."""
        trainers = training_settings()
        keys = list(dict.fromkeys(key for settings in trainers.values() for key in settings))
        groups: dict[tuple[str, ...], list[str]] = {tuple(trainers): []}
        for key in keys:
            groups.setdefault(tuple(name for name in trainers if key in trainers[name]), []).append(key)
        lines: list[str] = []
        for names, members in sorted(groups.items(), key=lambda group: -len(group[0])):
            title = "all trainers" if len(names) == len(trainers) else " and ".join(names)
            lines += [f"## Settings of {title}", "", "| setting | default | meaning |", "| --- | --- | --- |"]
            for key in members:
                defaults = {name: _default(trainers[name][key][0]) for name in names}
                meaning = _plain(min((trainers[name][key][1] for name in names), key=len))
                lines.append(f"| `{key}` | {_defaults(defaults)} | {meaning} |")
            lines.append("")
        return "\n".join(lines)


def _defaults(defaults: dict[str, str]) -> str:
    """Return the default that most trainers have, and those of the others by name."""
    values = list(defaults.values())
    common = max(values, key=values.count)
    if values.count(common) == 1 < len(values):
        return "<br>".join(f"{name}: {default}" for name, default in defaults.items())
    others = [f"{name}: {default}" for name, default in defaults.items() if default != common]
    return "<br>".join([common, *others])


def training_settings() -> dict[str, dict[str, tuple[str, str]]]:
    """Return each trainer's settings: key → (default, help)."""
    from german_whist.training.config import TRAINERS, settings_of

    return {
        name: {key: (setting.default, setting.text) for key, setting in settings_of(kind).items()}
        for name, kind in TRAINERS.items()
    }


def _default(value: str) -> str:
    return value if value == "none" else f"`{value}`"


class Recipes(MarkdownDirective):
    """The training configurations that come with the package."""

    def markdown(self) -> str:
        """Return each recipe as it stands in its file."""
        from importlib import resources

        from german_whist.training.config import recipe_names

        lines: list[str] = []
        for name in recipe_names():
            text = (resources.files("german_whist.configs") / f"{name}.yaml").read_text(encoding="utf-8")
            lines += [f"### `{name}`", "", "```yaml", text.rstrip(), "```", ""]
        return "\n".join(lines)


class Presets(MarkdownDirective):
    """The games that have a name, in one line each and in full."""

    option_spec: ClassVar[dict[str, Any]] = {"full": lambda _: True}

    def markdown(self) -> str:
        """Return a table, or with ``:full:`` every game's rules in words."""
        import german_whist as gw
        from german_whist.simulator.text.rules_text import preset_summary, rules_text

        names = sorted(gw.rule_names(), key=lambda name: (name != "classic", name))
        if "full" not in self.options:
            rows = [f"| [`{name}`](#{name}) | {_plain(preset_summary(name))} |" for name in names]
            return "\n".join(["| preset | game |", "| --- | --- |", *rows])
        lines: list[str] = []
        for name in names:
            lines += [f"### `{name}`", "", "```text", rules_text(name).partition("\n\n")[2], "```", ""]
        return "\n".join(lines)


class AgentNames(MarkdownDirective):
    """What can be written where an agent is wanted."""

    def markdown(self) -> str:
        """Return a table of the kinds of agents and of what can be added to any."""
        from german_whist.agents.registry import NETWORK_SETTINGS, USAGES

        rows = [f"| `{usage}` | {_plain(description)} |" for usage, description in USAGES.values()]
        return "\n".join(["| name | play |", "| --- | --- |", *rows, "", f"SETTINGS of networks: {NETWORK_SETTINGS}."])


class Leaderboard(MarkdownDirective):
    """The entries of the leaderboard: the output of ``benchmark --json``, with ``command`` and ``by``."""

    def markdown(self) -> str:
        """Return a table, the strongest first.

        Raises:
            ValueError: if an entry is of another protocol.
        """
        from german_whist.evaluation.benchmark import PROTOCOL

        files = Path(self.env.srcdir).glob("reference/leaderboard/*.json")
        entries = [json.loads(file.read_text(encoding="utf-8")) for file in files]
        if others := {entry["protocol"] for entry in entries} - {PROTOCOL}:
            raise ValueError(f"protocol: {sorted(others)}, not {PROTOCOL}")
        lines = ["| agent | Elo | 95 % interval | command | by |", "| --- | --- | --- | --- | --- |"]
        for entry in sorted(entries, key=lambda entry: -entry["rating"]):
            low, high = entry["interval"]
            rating = f"{entry['rating']:.0f} | {low:.0f} to {high:.0f}"
            lines.append(f"| `{entry['agent']}` | {rating} | `{entry['command']}` | {_plain(entry['by'])} |")
        return "\n".join(lines)


class RecordFields(MarkdownDirective):
    """The fields of a view or a state, with the comments that stand beside them in the source."""

    required_arguments = 1

    def markdown(self) -> str:
        """Return a table."""
        rows = [f"| `{name}` | {kind} | {meaning} |" for name, kind, meaning in record_fields(self.arguments[0])]
        return "\n".join(["| field | dtype | meaning |", "| --- | --- | --- |", *rows])


def record_fields(record: str) -> list[tuple[str, str, str]]:
    """Return name, dtype and meaning of each field of a ``"view"`` or a ``"state"``."""
    from german_whist.game import state
    from german_whist.simulator.observation import views

    module, dtype = {"view": (views, views.VIEW), "state": (state, state.STATE)}[record]
    source = Path(module.__file__).read_text(encoding="utf-8")
    comments = dict(re.findall(r'^ +\("(\w+)", .*\),(?:  # (.*))?$', source, re.MULTILINE))
    fields = []
    for name in dtype.names or ():
        kind = dtype[name]
        shape = f"[{', '.join(map(str, kind.shape))}]" if kind.shape else ""
        twin = name.replace("_opponent", "_self")
        meaning = comments.get(name) or (f"as `{twin}`, of the opponent" if twin != name else "")
        fields.append((name, f"{kind.base.name}{shape}", meaning if meaning.startswith("as `") else _plain(meaning)))
    return fields


def _plain(text: str) -> str:
    """Return help text as Markdown that shows every character of it, with options as code."""
    parts = re.split(r"(?<!\S)(--[\w-]+)", " ".join(text.split()))
    return "".join(f"`{part}`" if part.startswith("--") else re.sub(r"([*_<>{}\[\]])", r"\\\1", part) for part in parts)


def _keep_colons(_app: Sphinx, what: str, _name: str, _object: Any, _options: Any, lines: list[str]) -> None:
    """Keep napoleon from reading a property's sentence up to its colon as a type."""
    if what == "property" and lines:
        lines[0] = lines[0].replace(": ", " – ", 1)


def _short(text: str) -> str:
    """Return a type with arrays as ``ndarray[int8]`` and ``ArrayLike``, without what numpy makes of them."""
    prefix = r"~?(?:\w+\.)*"  # of a module; ~ asks Sphinx to leave it out
    shape = rf"(?:{prefix}tuple\[[^\]]*\]|{prefix}Any)"
    of_shape = rf"{prefix}ndarray\[{shape}, (?:{prefix}Any|{prefix}dtype\[{prefix}(\w+)(?:\[{prefix}Any\])?\])\]"
    unevaluated = rf"{prefix}NDArray\[{prefix}(\w+)\]"

    def array(found: re.Match[str]) -> str:
        dtype = found[1] or found[2]
        return "ndarray" if dtype in (None, "Any") else f"ndarray[{dtype.rstrip('_')}]"

    text = text.replace(stringify_annotation(npt.ArrayLike, "smart"), "ArrayLike")
    return re.sub(f"{of_shape}|{unevaluated}", array, text)


def _short_signature(*event: Any) -> tuple[str | None, str | None]:
    """Shorten a signature and its return type."""
    signature, returns = event[-2:]
    return signature and _short(signature), returns and _short(returns)


def _short_attribute(_app: Sphinx, _domain: str, kind: str, content: nodes.Element) -> None:
    """Shorten the type of an attribute or a property, which has no signature."""
    if kind in ("attribute", "property") and content.parent is not None:
        for annotation in content.parent.findall(addnodes.desc_annotation):
            parts = [
                part for part in annotation.findall(nodes.Text) if part.parent.get("condition") != "*"
            ]  # short names
            if (text := "".join(parts)) != (short := _short(text)):
                annotation.clear()
                annotation.append(nodes.Text(short))


def _public_anchor(_app: Sphinx, domain: str, _kind: str, content: nodes.Element) -> None:
    """Add the anchor that viewcode links to from a module with public names: that of ``german_whist`` itself."""
    if domain == "py" and content.parent is not None:
        for signature in content.parent.findall(addnodes.desc_signature):
            if (anchor := f"german_whist.{signature['fullname']}") not in signature["ids"]:
                signature["ids"].append(anchor)


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directives."""
    app.add_directive("public-index", PublicIndex)
    app.add_directive("public-names", PublicNames)
    app.add_directive("command-line", CommandLine)
    app.add_directive("training-settings", TrainingSettings)
    app.add_directive("training-recipes", Recipes)
    app.add_directive("game-presets", Presets)
    app.add_directive("agent-names", AgentNames)
    app.add_directive("leaderboard", Leaderboard)
    app.add_directive("record-fields", RecordFields)
    app.connect("autodoc-process-signature", _short_signature)
    app.connect("object-description-transform", _short_attribute)
    app.connect("object-description-transform", _public_anchor)
    app.connect("autodoc-process-docstring", _keep_colons, priority=400)  # before napoleon
    return {"parallel_read_safe": True}
