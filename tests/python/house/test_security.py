"""What docs/security.md promises of the code: nothing from a file runs, and licences are known."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

import pytest

from support import ROOT

PACKAGE = ROOT / "python/pantala"

#: Modules that make objects or code of bytes.
MODULES = {
    "cPickle",
    "cloudpickle",
    "dill",
    "joblib",
    "marshal",
    "pickle",
    "runpy",
    "shelve",
    "yaml",
}
#: Calls that run text, start a shell, unpack an archive by the names in it, or race for a name.
CALLS = {"__import__", "eval", "exec", "execfile", "extract", "extractall", "getoutput"} | {
    "mktemp",
    "popen",
    "system",
    "unpack_archive",
}
#: Where the package does so, and why that is right.
EXCEPTIONS = {
    ("experiments/description.py", "runpy"): "an experiment in Python; --no-programs refuses it",
    ("programs/child.py", "marshal"): "the arguments of a program, from a scratch folder",
    ("programs/loading.py", "exec"): "the program of a user; --no-programs refuses it",
    ("programs/process.py", "marshal"): "the arguments of a program, to a scratch folder",
    ("studies/definition.py", "runpy"): "the measures of a study; PANTALA_NO_PROGRAMS refuses them",
}

#: Words of licences that let a user use and pass on what depends on them.
LICENCES = re.compile(
    r"MIT|BSD|Apache|ISC|PSF|Python Software Foundation|MPL|Mozilla|Unlicense|CC0|Zlib|HPND|0BSD",
    re.IGNORECASE,
)


def found(text: str) -> Iterator[str]:
    """Yields the modules and calls of a file that the lists name."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            yield from {each.name.split(".")[0] for each in node.names} & MODULES
        elif isinstance(node, ast.ImportFrom):
            yield from {(node.module or "").split(".")[0]} & MODULES
        elif isinstance(node, ast.Call):
            called = node.func
            name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
            # `polars.Expr.str.extract` takes a pattern; archives are files.
            if name in CALLS and not (name == "extract" and ".str." in ast.unparse(called)):
                yield name
            for keyword in node.keywords:
                true = isinstance(keyword.value, ast.Constant) and keyword.value.value is True
                if keyword.arg in ("shell", "allow_pickle") and true:
                    yield keyword.arg


def test_no_file_becomes_code_or_goes_through_a_shell() -> None:
    uses = {
        (str(path.relative_to(PACKAGE)), what)
        for path in sorted(PACKAGE.rglob("*.py"))
        for what in found(path.read_text(encoding="utf-8"))
    }
    assert uses == EXCEPTIONS.keys()


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("import pickle", "pickle"),
        ("from runpy import run_path", "runpy"),
        ("eval('1')", "eval"),
        ("import os\nos.system('true')", "system"),
        ("subprocess.run('true', shell=True)", "shell"),
        ("numpy.load(path, allow_pickle=True)", "allow_pickle"),
        ("archive.extractall(folder)", "extractall"),
    ],
)
def test_each_of_them_is_found(text: str, what: str) -> None:
    assert list(found(text)) == [what]


def _pins(file: str) -> set[str]:
    """Returns the packages that a file of requirements pins, each with its markers and hashes."""
    text = (ROOT / "requirements" / file).read_text()
    return set(re.split(r"\n(?=\S)", text.strip()))


def test_the_demo_installs_packages_of_developers_and_no_others() -> None:
    run, dev = _pins("run.txt"), _pins("dev.txt")
    assert len(run) > 20
    assert run < dev, f"not in dev.txt, or another version: {run - dev}; run `make lock`"


def test_packages_have_licences_that_are_allowed() -> None:
    pinned = re.findall(
        r"^([A-Za-z0-9._-]+)==", (ROOT / "requirements/dev.txt").read_text(), re.MULTILINE
    )
    assert len(pinned) > 20
    refused, seen = [], 0
    for name in pinned:
        try:
            facts = metadata.metadata(name)
        except metadata.PackageNotFoundError:  # of another system, or of an extra
            continue
        seen += 1
        classifiers = facts.get_all("Classifier", [])
        stated = [each for each in classifiers if each.startswith("License ::")]
        # The field `License` can hold the whole text: its first line names it.
        stated += [each[:80] for each in facts.get_all("License", [])]
        stated += facts.get_all("License-Expression", [])
        if not LICENCES.search(" ".join(stated)):
            refused.append((name, stated))
    assert seen > 20
    assert refused == []


def test_no_folder_of_the_package_is_open_to_others(tmp_path: Path) -> None:
    from pantala.files.atomic_file import scratch_folder
    from pantala.files.private_folder import private_folder

    private_folder(tmp_path / "cache/deep")
    with scratch_folder(tmp_path) as scratch:
        for folder in (tmp_path / "cache", tmp_path / "cache/deep", scratch):
            assert folder.stat().st_mode & 0o777 == 0o700
