"""A load file of Ember on merlin's Dragonfly, with the scripts of the fork of SC 2022.

SST runs this file, not Python. `study.json` has the machine and the sources of the fork. The host
stack (firefly) is the fork's own: `platform_df1056Params.py`.
"""

from __future__ import annotations

import json
import runpy
import sys
import types
from pathlib import Path
from typing import Any

STUDY: dict[str, Any] = json.loads(Path("study.json").read_text(encoding="utf-8"))
SOURCES = Path(STUDY["sources"])
SCRIPTS = SOURCES / "tests" / "config"

sys.path[:0] = [str(SCRIPTS), str(SOURCES / "src" / "sst" / "elements" / "ember" / "test")]


def platform() -> types.ModuleType:
    """Returns the fork's platform, with the network of the study."""
    shipped = __import__("platform_df1056Params")
    shipped.netConfig.update(STUDY["topology"])
    shipped.networkParams.update(STUDY["network"])
    for key in ("packetSize", "link_bw", "input_buf_size", "output_buf_size"):
        shipped.nicParams[key] = STUDY["network"][key]
    return shipped


sys.modules["studyParams"] = platform()
sys.argv = ["emberLoad_df1056.py", *STUDY["options"]]
runpy.run_path(str(SCRIPTS / "emberLoad_df1056.py"), run_name="__main__")
