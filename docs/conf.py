"""How Sphinx builds the site: `sphinx-build -W docs docs/_build` (the extra `docs`)."""

import sys
from importlib import metadata
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

project = "rbmle"
author = "The rbmle developers"
copyright = "The rbmle developers"
release = metadata.version("rbmle")

extensions = [
    "dark",
    "docstrings",
    "generated",
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.mathjax",
    "sphinx_copybutton",
    "sphinx_design",
]
exclude_patterns = [
    "_build",
    "jupyter_execute",
    ".jupyter_cache",
]  # myst-nb writes what pages ran beside _build

myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 4  # as GitHub's: `page.md#a-heading`
autodoc_typehints_format = "short"
autodoc_preserve_defaults = True  # as they are written: `BetaBias()`, not its numbers
autodoc_member_order = "bysource"
nb_execution_mode = "auto"
nb_execution_raise_on_error = True
nb_output_stderr = "remove"  # "compiling RBMLE for Bernoulli, once"
nb_execution_timeout = 120
nb_kernel_rgx_aliases = {".*": "python3"}

highlight_language = "text"
html_theme = "furo"
html_title = "rbmle"
html_static_path = ["_static"]
html_css_files = ["site.css"]
pygments_style = "tango"
pygments_dark_style = "github-dark"
