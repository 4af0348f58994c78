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


def test_parameters_of_learners_have_types():
    """Choices are listed, and no parameter may be anything."""
    tree = ast.parse((stubs.FOLDER / "_learners.pyi").read_text(encoding="utf-8"))
    kinds = {f"{c.name}.{a.arg}": ast.unparse(a.annotation) for c in tree.body if isinstance(c, ast.ClassDef) and c.name != "Learner"
             for f in c.body if isinstance(f, ast.FunctionDef) for a in f.args.kwonlyargs}
    assert len(kinds) > 100 and not [name for name, kind in kinds.items() if "Any" in kind]
    assert kinds["Crf.algorithm"] == "Union[None, Literal['adagrad', 'lbfgs']]"
    assert kinds["Crf.weight_bits"] == "Union[None, Literal['auto', '16', '32', 16, 32]]"
    assert kinds["Crf.l2"] == "Union[None, float, Literal['auto']]"
    assert kinds["Crf.names"] == "Union[None, bool, Literal['yes', 'no']]"
    assert kinds["Crf.label_weights"] == "Union[None, str, Mapping[str, float]]"
    with pytest.raises(ValueError, match="neither a number nor names"):
        stubs._kind("1", "a number, or whatever else", "")


def test_types_are_consistent(root):
    """mypy has nothing to say, if it is installed."""
    pytest.importorskip("mypy")
    done = subprocess.run([sys.executable, "-m", "mypy", "--python-version", "3.9", "--ignore-missing-imports", "--cache-dir",
                           os.devnull, "-p", "espalier"], cwd=root, env={**os.environ, "MYPYPATH": str(root / "python")},
                          capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout


def test_wrong_choices_are_errors_of_types(root, tmp_path):
    """The same, in a program that uses the package."""
    pytest.importorskip("mypy")
    (tmp_path / "program.py").write_text("""import espalier as es
tagger = es.train([["a"]], [["A"]], learner=es.Crf(algorithm="lbfgs", l2="auto", weight_bits=16, names=False))
labels: list[str] = tagger.labels
es.Cascade(order=4, levels=[1, 2], filter_loss="auto")
es.Crf(algorithm="sgd")
es.Crf(l2="much")
es.Crf(weight_bits=8)
es.Crf(l3=1)
""", encoding="utf-8")
    done = subprocess.run([sys.executable, "-m", "mypy", "--ignore-missing-imports", "--cache-dir", os.devnull, "program.py"],
                          cwd=tmp_path, env={**os.environ, "MYPYPATH": str(root / "python")}, capture_output=True, text=True,
                          timeout=600)
    assert re.findall(r"program.py:(\d+): error", done.stdout) == ["5", "6", "7", "8"], done.stdout


def test_every_function_of_the_extension_has_a_stub():
    tree = ast.parse((stubs.FOLDER / "_native.pyi").read_text(encoding="utf-8"))
    declared = {node.name for node in tree.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
    assert declared == {name for name in vars(es._native) if not name.startswith("__")}


def begun(module):
    """The names that the example at the beginning of a module makes; for one without, and for a private one, that of the
    nearest package around it."""
    text = importlib.import_module(module).__doc__
    if "._" in module or ">>>" not in text:
        return begun(module.rpartition(".")[0])
    test = doctest.DocTestParser().get_doctest(text, {"__name__": "__main__"}, module, None, None)
    doctest.DocTestRunner(verbose=False, optionflags=doctest.ELLIPSIS).run(test, out=lambda said: None, clear_globs=False)
    return test.globs


def examples(module):
    """The docstrings of a module that have examples."""
    return [test for test in doctest.DocTestFinder().find(importlib.import_module(module), module) if test.examples]


@pytest.mark.parametrize("module", [m for m in modules() if examples(m)])
def test_examples_in_docstrings(module, tmp_path, monkeypatch):
    """Each goes on from the example at the beginning of its module, in an empty folder."""
    monkeypatch.chdir(tmp_path)
    runner, said = doctest.DocTestRunner(verbose=False, optionflags=doctest.ELLIPSIS), []
    for test in examples(module):
        if test.name != module:
            test.globs.update(begun(module))
        runner.run(test, out=said.append)
    assert not said, "".join(said)


#: Modules that are public in spite of their names: the originals have them under these.
PUBLIC = ("espalier.compat.pycrfsuite._logparser", "espalier.compat.pycrfsuite._dumpparser")
#: What needs no example, and why.
WITHOUT_EXAMPLE = {
    "espalier.compat.seqeval.reporters.Reporter.report": "abstract; the example of the class has one",
    "espalier.compat.seqeval.reporters.Reporter.write": "the same",
}


def public_callables():
    """The full names of all public functions, classes, methods and properties."""
    found = set()
    for module in modules():
        if "._" in module and module not in PUBLIC:
            continue
        imported = importlib.import_module(module)
        for thing in (getattr(imported, name) for name in getattr(imported, "__all__", ())):
            if not (inspect.isclass(thing) or inspect.isfunction(thing)):
                continue
            found.add(f"{thing.__module__}.{thing.__qualname__}")
            for owner in thing.__mro__ if inspect.isclass(thing) else ():
                for name, value in vars(owner).items():
                    value = getattr(value, "fget", None) or getattr(value, "__func__", value)
                    if owner.__module__.startswith("espalier") and inspect.isfunction(value) and not name.startswith("_"):
                        found.add(f"{owner.__module__}.{value.__qualname__}")
    return found


def test_everything_public_has_an_example():
    shown = {test.name for module in modules() for test in examples(module)}
    wanted = public_callables()
    assert len(wanted) > 200 and set(WITHOUT_EXAMPLE) <= wanted - shown
    assert sorted(wanted - shown - set(WITHOUT_EXAMPLE)) == []


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


@pytest.mark.parametrize("script, said", [("matching", r"Searn\(beam=3\): mean loss 0\.\d+\n"),
                                          ("annotators", r"anna: F1 83\.\d\n(.*\n){2}all, by \w+: F1 (8[5-9]|9\d)\.\d\n")])
def test_example_scripts(root, script, said):
    done = subprocess.run([sys.executable, f"examples/python/{script}.py"], cwd=root, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert re.search(said, done.stdout), done.stdout


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
