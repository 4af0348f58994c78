"""The package as a whole: version, stubs, doctests, the wheel, what it exports."""

import ast
import doctest
import importlib
import inspect
import os
import pathlib
import pkgutil
import re
import subprocess
import sys
import zipfile

import pytest

import espalier as es

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
import backend  # noqa: E402
import stubs  # noqa: E402


def modules():
    return ["espalier", *(m.name for m in pkgutil.walk_packages(es.__path__, "espalier."))]


def test_one_version_everywhere():
    assert es.__version__ == es.version() == backend.version()


@pytest.mark.parametrize("name", sorted(stubs.STUBS))
def test_stubs_are_those_of_the_module(name):
    assert (stubs.FOLDER / name).read_text(encoding="utf-8") == stubs.STUBS[name](), "run python/stubs.py --write"
    ast.parse((stubs.FOLDER / name).read_text(encoding="utf-8"))


def test_types_are_consistent(root):
    """mypy has nothing to say, if it is installed."""
    pytest.importorskip("mypy")
    done = subprocess.run([sys.executable, "-m", "mypy", "--python-version", "3.9", "--ignore-missing-imports", "--cache-dir",
                           os.devnull, "-p", "espalier"], cwd=root, env={**os.environ, "MYPYPATH": str(root / "python")},
                          capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout


def test_every_function_of_the_extension_has_a_stub():
    tree = ast.parse((stubs.FOLDER / "_native.pyi").read_text(encoding="utf-8"))
    declared = {node.name for node in tree.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
    assert declared == {name for name in vars(es._native) if not name.startswith("__")}


@pytest.mark.parametrize("module", modules())
def test_examples_in_docstrings(module):
    imported = importlib.import_module(module)
    result = doctest.testmod(imported, optionflags=doctest.ELLIPSIS)
    assert result.failed == 0


@pytest.mark.parametrize("module", [m for m in modules() if "_native" not in m])
def test_everything_public_is_documented(module):
    imported = importlib.import_module(module)
    assert imported.__doc__
    for name in getattr(imported, "__all__", []):
        thing = getattr(imported, name)
        if inspect.isclass(thing) or inspect.isfunction(thing):
            assert thing.__doc__, f"{module}.{name}"
            for method, value in vars(thing).items() if inspect.isclass(thing) else ():
                if not method.startswith("_") and inspect.isfunction(value):
                    assert value.__doc__, f"{module}.{name}.{method}"


def test_examples_of_the_manual(root, tmp_path):
    """Every block of Python in docs/python.md and in the README runs, each file from its top to its end."""
    for name in ("docs/python.md", "README.md"):
        blocks = re.findall(r"```python\n(.*?)```", (root / name).read_text(encoding="utf-8"), re.S)
        assert blocks, name
        script = tmp_path / "blocks.py"
        script.write_text("\n".join(blocks), encoding="utf-8")
        done = subprocess.run([sys.executable, str(script)], cwd=root, capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, done.stderr


def test_the_wheel_has_everything_and_installs(tmp_path):
    if not (backend.PACKAGE / "espalier").is_dir():
        pytest.skip("build/python is not there")
    name = backend._write_wheel(tmp_path)
    with zipfile.ZipFile(tmp_path / name) as wheel:
        names = wheel.namelist()
        assert wheel.testzip() is None
    for wanted in ("espalier/py.typed", "espalier/_native.pyi", "espalier/_learners.pyi", "espalier/sklearn.py",
                   "espalier/compat/pycrfsuite/__init__.py"):
        assert wanted in names
    assert any(n.startswith("espalier/libespalier.so.") for n in names)
    assert any(re.fullmatch(r"espalier/_native\..*\.so", n) for n in names)
    environment = tmp_path / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--system-site-packages", str(environment)], check=True)
    python = str(environment / "bin" / "python")
    subprocess.run([python, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", str(tmp_path / name)],
                   check=True)
    clean = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    said = subprocess.run([python, "-c", "import espalier; print(espalier.__version__, espalier.__file__)"],
                          cwd=tmp_path, env=clean, capture_output=True, text=True, check=True).stdout
    assert said.startswith(es.__version__) and str(environment) in said
