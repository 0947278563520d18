"""The documentation site: `make docs`.

The pages are plain Markdown, so that a code host shows them as they are. What only the site needs
stands here: the order of the pages.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "python"))

from pantala import __version__

project = "Pantala"
author = "The Pantala authors"
copyright = author
release = version = __version__

extensions = ["myst_parser"]
html_theme = "furo"
html_title = "Pantala"
html_show_sphinx = False
html_static_path = ["_static"]
html_css_files = ["site.css"]

myst_heading_anchors = 4

# Two hyphens before an option stay two hyphens.
smartquotes = False

#: Pages below each page that lists others, in the order of the sidebar.
CONTENTS = {
    "index": [
        "tutorial",
        "own-program",
        "experiment",
        "how-to/index",
        "explanation/index",
        "reference/index",
        "studies/index",
        "performance",
        "appendix-performance",
        "scaling",
        "comparison",
        "reliability",
        "security",
        "prose",
    ],
    "how-to/index": [
        "scenario",
        "read-results",
        "explore",
        "look-inside",
        "follow-packets",
        "record-ranks",
        "figures",
        "export",
        "curve",
        "sweep",
        "failed-links",
        "compare",
        "experiment-report",
        "study",
        "cluster",
        "query",
        "coarsen",
        "skip",
        "traces",
        "ember",
        "ncptl",
        "codes",
        "capture",
        "program-slowdown",
        "python",
    ],
    "explanation/index": [
        "interference",
        "experiments",
        "blame",
        "topologies",
        "tiles",
        "fabric",
        "routing/index",
        "deadlock",
        "mpi",
        "applications-kang2022",
        "applications-yang2016",
        "applications-wang2020",
        "applications-chunduri2021",
        "coarsening",
        "skipping",
        "validation",
        "studies",
        "core",
        "sources",
    ],
    "explanation/routing/index": [
        "minimal",
        "valiant_group",
        "valiant_node",
        "ugal_g",
        "ugal_n",
        "par",
        "ugal_global",
        "q_adaptive",
        "codes_adp",
        "codes_padp",
        "codes_custom_min",
        "codes_custom_adp",
        "aries",
        "merlin_ugal",
        "booksim_ugal",
    ],
    "explanation/coarsening": ["made-coarsening"],
    "explanation/skipping": ["made-skipping"],
    "explanation/validation": ["made-validation", "made-validation-ember"],
    "studies/index": [
        "across",
        "prisacari2015",
        "yang2016",
        "wang2020",
        "chunduri2021",
        "kang2022",
        "checklist",
    ],
    "studies/prisacari2015": ["prisacari2015/speedup"],
    "reference/index": [
        "scenario/index",
        "applications",
        "ember",
        "presets",
        "commands",
        "tables",
        "operation-file",
        "traces",
        "otf2",
        "ncptl",
        "goal-and-chakra",
        "program-calls",
        "metrics",
        "python",
        "figures",
    ],
    "reference/scenario/index": [
        "machine",
        "router",
        "routing",
        "mpi",
        "jobs",
        "placements",
        "workloads",
        "snapshot",
        "background",
        "run",
        "record",
    ],
}


def _add_contents(app, page, source):
    """Append the list of the pages below to a page that has some."""
    if page in CONTENTS:
        below = "\n".join(CONTENTS[page])
        source[0] += f"\n```{{toctree}}\n:hidden:\n\n{below}\n```\n"


def setup(app):
    """Called by Sphinx."""
    app.connect("source-read", _add_contents)
    return {"parallel_read_safe": True}
