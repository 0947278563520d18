"""Starts the launcher of an MPI library so that its ranks load the capture library.

`pantala capture` puts scripts before the launchers of PATH that run this file, by itself and
without packages: ``python launcher.py PATH KIND WORD...`` becomes the launcher at PATH with these
words and what hands the variables of the capture to the ranks, also on other hosts. The launcher
does not load the library itself.
"""

from __future__ import annotations

import os
import sys

#: What the ranks need.
NAMES = ("LD_PRELOAD", "PANTALA_CAPTURE_DIR", "PANTALA_CAPTURE_CLOCK", "PANTALA_CAPTURE_FROM",
         "PANTALA_CAPTURE_TO")  # fmt: skip
#: The library that the launcher itself leaves out of LD_PRELOAD.
LIBRARY = "PANTALA_CAPTURE_LIBRARY"
_LIST = "OMPI_MCA_mca_base_env_list"


def handed(
    kind: str, words: list[str], environment: dict[str, str]
) -> tuple[list[str], dict[str, str]]:
    """Returns the words and the environment of a launcher.

    Args:
        kind: ``open_mpi``, ``hydra`` (MPICH, Intel MPI) or ``slurm``.
        words: the words of the command line after the launcher.
        environment: the environment, with the variables of the capture.
    """
    library = environment[LIBRARY]
    variables = {name: environment[name] for name in NAMES if name in environment}
    own = [
        each for each in environment.get("LD_PRELOAD", "").split(":") if each not in {"", library}
    ]
    before = {**environment, "LD_PRELOAD": ":".join(own)}
    if not own:
        del before["LD_PRELOAD"]
    if kind == "hydra":
        more = [word for item in variables.items() for word in ("-genv", *item)]
        return [*more, *words], before
    if kind == "slurm":
        return _exported(words, variables, before), before
    if _LIST in environment or "mca_base_env_list" in words:
        # Open MPI refuses -x beside the list.
        text = ";".join(f"{name}={value}" for name, value in variables.items())
        if _LIST in environment:
            before[_LIST] = f"{environment[_LIST]};{text}"
            return words, before
        at = words.index("mca_base_env_list") + 1
        return [*words[:at], f"{words[at]};{text}", *words[at + 1 :]], before
    words = list(words)
    for at, word in enumerate(words[:-1]):
        if word in {"-x", "--x"} and words[at + 1].split("=")[0] == "LD_PRELOAD":
            _, _, users = words[at + 1].partition("=")
            variables["LD_PRELOAD"] = ":".join([library, *filter(None, [users or ":".join(own)])])
            words[at : at + 2] = ["", ""]
    more = [word for item in variables.items() for word in ("-x", "=".join(item))]
    return [*more, *filter(None, words)], before


def _exported(words: list[str], variables: dict[str, str], before: dict[str, str]) -> list[str]:
    """Returns the words of srun: it hands on the whole environment unless --export says less."""
    text = ",".join(f"{name}={value}" for name, value in variables.items())
    for at, word in enumerate(words):
        if word.startswith("--export="):
            asked = word.removeprefix("--export=")
            asked = "" if asked == "NONE" else f"{asked},"
            return [*words[:at], f"--export={asked}{text}", *words[at + 1 :]]
    asked = before.get("SLURM_EXPORT_ENV", "ALL")
    return [f"--export={asked},{text}", *words]


def main(words: list[str]) -> None:
    """Replaces this process by the launcher."""
    path, kind, *rest = words
    arguments, environment = handed(kind, rest, dict(os.environ))
    os.execve(path, [path, *arguments], environment)


if __name__ == "__main__":
    main(sys.argv[1:])
