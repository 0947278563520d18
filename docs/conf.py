"""The documentation site: `make docs`."""

import sys
from importlib.util import find_spec
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent / "_ext"), str(Path(__file__).parents[1] / "python")]

from pantala import __version__  # noqa: E402 - the path comes first

project = "Pantala"
author = "The Pantala authors"
copyright = author
release = version = __version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "pantala_reference",
    "pantala_applications",
]
exclude_patterns = ["_build", "explanation/made-*.md", "explanation/routing/made-*.md", "studies"]
html_theme = "furo"
html_title = "Pantala"
html_show_sphinx = False
html_static_path = ["_static"]
html_css_files = ["site.css"]

myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3

# Two hyphens before an option stay two hyphens.
smartquotes = False
# Docstrings put code in single backticks.
default_role = "code"
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
autodoc_class_signature = "separated"
autodoc_preserve_defaults = True
autodoc_default_options = {
    "members": True,
    "exclude-members": "model_config, complete, shorthand, from_preset, __new__",
}
napoleon_use_ivar = True
python_use_unqualified_type_names = True
# The pages describe the Python face; the core behind it need not be built to read about it.
autodoc_mock_imports = [] if find_spec("pantala._core") else ["pantala._core"]
