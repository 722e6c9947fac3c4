"""How Sphinx builds this site: ``make docs`` writes it to ``docs/_build/html``."""

from __future__ import annotations

import sys
from importlib.metadata import version as installed_version
from importlib.util import find_spec
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

project = "German Whist"
author = "the German Whist maintainers"
project_copyright = f"2026 {author}, MIT licence"
version = release = installed_version("german-whist")

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx.ext.viewcode",
    "sphinx_copybutton",
    "sphinx_llms_txt",
    "anchors",
    "clone",
    "command_lexer",
    "figures",
    "search_excerpts",
    "signatures",
]
exclude_patterns = ["_build", "_ext"]

# Every warning fails the build (sphinx-build -W), and every link, anchor and role must resolve. Types are an exception:
# docstrings write arrays as int8[n], and the build works offline, without other projects' inventories. Autodoc's
# anchors, as in `[env](environments.md#german_whist.env)`, are another: our extension `anchors` checks them.
nitpicky = True
nitpick_ignore_regex = [(r"py:(class|obj|data|exc)", r".*"), ("myst", r"german_whist\.\w+")]

myst_heading_anchors = 3

# The site is built without the libraries that extras bring, too.
OPTIONAL = ("pydantic", "pyspiel", "torch", "stable_baselines3", "sb3_contrib", "tensorboard", "matplotlib")
autodoc_mock_imports = [name for name in OPTIONAL if find_spec(name) is None]
if "torch" in autodoc_mock_imports:
    autodoc_mock_imports.append("safetensors.torch")
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
autodoc_member_order = "bysource"
autodoc_preserve_defaults = False
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 80
napoleon_numpy_docstring = False
napoleon_use_ivar = True
napoleon_use_rtype = False
add_module_names = True  # says where a name is imported from
copybutton_exclude = ".linenos, .gp, .go"

html_theme = "furo"
html_title = f"German Whist {release}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = True  # llms.txt names the sources
html_show_sourcelink = False
llms_txt_uri_template = "_sources/{docname}{suffix}{sourcelink_suffix}"  # beside it, wherever the site is
html_show_sphinx = False
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#1b6e4b", "color-brand-content": "#1b6e4b"},
    "dark_css_variables": {"color-brand-primary": "#6fcf9f", "color-brand-content": "#6fcf9f"},
}
