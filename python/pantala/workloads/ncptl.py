"""coNCePTuaL programs."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, Strict
from pydantic_core import PydanticCustomError
from typing_extensions import override

from pantala.core import native
from pantala.errors import ScenarioWarning
from pantala.files.input_file import read_text, unreadable
from pantala.models.base import Index, UnsignedTimePerByte
from pantala.models.validation import fault
from pantala.text.units import TimePerByte
from pantala.workloads.front_end import FrontEnd

__all__ = ["Ncptl"]

#: The value of a program's option: an integer, or a text with an ending such as "64K".
_Argument = Annotated[int, Strict(), Field(ge=-(2**63), le=2**63 - 1)] | str


class Ncptl(FrontEnd):
    """coNCePTuaL: a program in the language for network benchmarks.

    Computing and sleeping take simulated time, collectives cost what the MPI layer says, and
    counters and timed loops follow the simulated clock. The table `program_logs` holds the log and
    the output of every rank.

    Source: Pakin, The design and implementation of a domain-specific language for network
    performance testing, IEEE TPDS 18(10), 2007.
    """

    kind: Literal["ncptl"] = "ncptl"
    """A coNCePTuaL program."""
    file: str
    """The program: a file beside the scenario file, or else in the current directory."""
    arguments: dict[str, _Argument] = Field(default={})
    """Values of the program's options, by variable or by option name: `{ reps = 100, bytes = "64K"
    }`. Default: the program's defaults."""
    seed: Index | None = None
    """Seed of the random tasks and numbers. Default: the scenario's seed."""
    touch_per_byte: UnsignedTimePerByte = TimePerByte(0)
    """Time that a task needs to touch one byte of memory, in TOUCHES and in messages WITH DATA
    TOUCHING or WITH VERIFICATION."""

    draws: ClassVar[bool] = True

    @classmethod
    def between_fields(cls, made: Any, data: Mapping[str, Any]) -> Iterator[PydanticCustomError]:
        """Yields a fault if the file cannot be read."""
        yield from super().between_fields(made, data)
        try:
            made.source()
        except OSError as error:
            remedy = "name a file beside the scenario file or in the current directory"
            yield fault(*unreadable(error, remedy), "file")
        except UnicodeDecodeError as error:
            message = f"byte {error.start} is not UTF-8 text"
            yield fault(message, "name a coNCePTuaL program", "file")

    def source(self) -> str:
        """Returns the text of the program."""
        return read_text(self.file)

    def _data(self, names: Iterable[str]) -> dict[str, str]:
        """Returns the texts of the files that the program reads with FILE_DATA, by name.

        A file lies beside the program or in the current directory. What cannot be read is left out;
        the core names it.
        """
        texts = {}
        for name in names:
            beside = Path(self.file).parent / name
            with contextlib.suppress(OSError, UnicodeDecodeError):
                found = beside if beside.is_file() else Path(name)
                texts[name] = read_text(found)
        return texts

    @override
    def as_plan(self, ranks: int) -> dict[str, Any]:
        return self.seeded_plan(ranks, 1, "")

    def seeded_plan(self, ranks: int, seed: int, job: str) -> dict[str, Any]:
        """Returns the plan's workload object: program and data themselves; no file is needed.

        Warns:
            ScenarioWarning: the program is correct, but perhaps not what was meant.
        """
        source = self.source()
        checked = native.ncptl_check(self.file, source)
        for shown in checked["serious"]:
            line = shown.partition("\n")[0].removeprefix(f"{self.file}:")
            place, _, text = line.partition(": ")
            warnings.warn(ScenarioWarning(f"{self.file}:{place}", text), stacklevel=2)
        data = self._data(checked["files"])
        return {
            "kind": self.kind,
            "file": self.file,
            "source": source,
            **({"data": data} if data else {}),
            "arguments": self.arguments,
            "seed": seed if self.seed is None else self.seed,
            "touch_per_byte_fs": int(self.touch_per_byte),
        }
