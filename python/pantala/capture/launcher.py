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
#: The options of srun without a value, or with one behind an equals sign only.
_SRUN_LETTERS = frozenset("EHOQVXZhjklsuv")
_SRUN_FLAGS = frozenset((
    "bcast", "compress", "contiguous", "debugger-test", "disable-status", "exact", "exclusive",
    "help", "hold", "immediate", "interactive", "join", "kill-on-bad-exit", "label",
    "multi-prog", "nice", "no-allocate", "no-kill", "overcommit", "overlap", "oversubscribe",
    "preserve-env", "propagate", "pty", "quiet", "quit-on-interrupt", "reboot", "resv-ports",
    "send-libs", "share", "spread-job", "test-only", "unbuffered", "usage", "use-min-nodes",
    "verbose", "version", "x11",
))  # fmt: skip


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
    # A name alone stands for the value that srun has itself, which may contain commas.
    text = ",".join(
        f"{name}={value}" if name == "LD_PRELOAD" else name for name, value in variables.items()
    )
    starts = [0, *(at + 1 for at, word in enumerate(words) if word == ":")]
    ends = [*(start - 1 for start in starts[1:]), len(words)]
    made: list[str] = []
    for start, end in zip(starts, ends, strict=True):  # the components of a heterogeneous job
        component, asked = _without_export(words[start:end])
        if asked is None:
            asked = before.get("SLURM_EXPORT_ENV", "ALL")
        less = "" if asked in {"NONE", "NIL"} else f"{asked},"
        made += [":"] * (start > 0) + [f"--export={less}{text}", *component]
    return made


def _without_export(words: list[str]) -> tuple[list[str], str | None]:
    """Returns words of srun without its option --export, and the option's last value."""
    left: list[str] = []
    asked = None
    at = 0
    while at < len(words) and words[at].startswith("-") and words[at] not in {"-", "--"}:
        word = words[at]
        taken = words[at : at + 1 + _has_apart(word)]
        if word == "--export":
            asked = taken[-1]
        elif word.startswith("--export="):
            asked = word.removeprefix("--export=")
        else:
            left += taken
        at += len(taken)
    return [*left, *words[at:]], asked


def _has_apart(word: str) -> bool:
    """Returns whether the value of an option of srun is the next word."""
    if word.startswith("--"):
        return "=" not in word and word[2:] not in _SRUN_FLAGS
    # Single letters can stand together: the last one may have a value in the next word.
    letters = word[1:]
    alone = next((at for at, letter in enumerate(letters) if letter not in _SRUN_LETTERS), None)
    return alone is not None and letters[alone] not in "IK" and alone == len(letters) - 1


def main(words: list[str]) -> None:
    """Replaces this process by the launcher."""
    path, kind, *rest = words
    arguments, environment = handed(kind, rest, dict(os.environ))
    os.execve(path, [path, *arguments], environment)


if __name__ == "__main__":
    main(sys.argv[1:])
