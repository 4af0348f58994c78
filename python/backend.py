"""Builds the wheel of espalier: what `pip install --no-build-isolation .` and `make python` call (PEP 517).

Needs CMake and the packages of the groups build and python in packages.txt, and nothing from a network.

    python3 python/backend.py DIRECTORY     writes the wheel of what is in build/python into DIRECTORY
"""

import base64
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import sysconfig
import tomllib
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "build" / "python"


def version():
    """The version of the tree, from the one place that has it."""
    found = re.search(r"project\(espalier VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8"))
    return found.group(1)


def _project():
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def _tag():
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    return f"{python}-{python}-{sysconfig.get_platform().replace('-', '_').replace('.', '_')}"


def _metadata():
    project = _project()
    lines = ["Metadata-Version: 2.1", f"Name: {project['name']}", f"Version: {version()}",
             f"Summary: {project['description']}", f"Requires-Python: {project['requires-python']}",
             f"License: {project['license']['text']}"]
    lines += [f"Requires-Dist: {name}" for name in project["dependencies"]]
    for extra, names in project["optional-dependencies"].items():
        lines.append(f"Provides-Extra: {extra}")
        lines += [f'Requires-Dist: {name}; extra == "{extra}"' for name in names]
    lines.append("Description-Content-Type: text/markdown")
    return "\n".join(lines) + "\n\n" + (ROOT / project["readme"]).read_text(encoding="utf-8")


def _build():
    """Configures and builds the package in build/python."""
    interpreter = getattr(sys, "_base_executable", sys.executable)
    configure = ["cmake", "--log-level=WARNING", "--preset", "release", "-DESPALIER_PYTHON=ON",
                 f"-DPython3_EXECUTABLE={interpreter}"]
    if shutil.which("ccache"):
        configure.append("-DCMAKE_CXX_COMPILER_LAUNCHER=ccache")
    subprocess.run(configure, cwd=ROOT, check=True)
    jobs = os.environ.get("JOBS", str(os.cpu_count() or 2))
    subprocess.run(["cmake", "--build", "--parallel", jobs, "--preset", "release", "--target", "python_package"],
                   cwd=ROOT, check=True)


def _write_wheel(directory):
    """A wheel of build/python: the same files give the same bytes."""
    stem = f"{_project()['name']}-{version()}"
    info = f"{stem}.dist-info"
    files = {str(path.relative_to(PACKAGE)): path.read_bytes() for path in PACKAGE.rglob("*")
             if path.is_file() and "__pycache__" not in path.parts}
    files[f"{info}/METADATA"] = _metadata().encode()
    files[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: espalier\nRoot-Is-Purelib: false\nTag: {_tag()}\n".encode()
    files[f"{info}/LICENSE"] = (ROOT / "LICENSE").read_bytes()
    record = []
    for name in sorted(files):
        digest = base64.urlsafe_b64encode(hashlib.sha256(files[name]).digest()).rstrip(b"=").decode()
        record.append(f"{name},sha256={digest},{len(files[name])}")
    record.append(f"{info}/RECORD,,")
    files[f"{info}/RECORD"] = ("\n".join(record) + "\n").encode()
    name = f"{stem}-{_tag()}.whl"
    with zipfile.ZipFile(pathlib.Path(directory) / name, "w", zipfile.ZIP_DEFLATED) as wheel:
        for path in sorted(files):
            entry = zipfile.ZipInfo(path, (2020, 1, 1, 0, 0, 0))
            entry.external_attr = (0o755 if ".so" in path else 0o644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            wheel.writestr(entry, files[path])
    return name


def get_requires_for_build_wheel(config_settings=None):
    """Nothing from a registry."""
    return []


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """Builds the package and writes its wheel; returns the file's name."""
    _build()
    return _write_wheel(wheel_directory)


def build_sdist(sdist_directory, config_settings=None):
    """Not supported: the tree itself is the source."""
    raise NotImplementedError("build from the source tree: pip install --no-build-isolation .")


if __name__ == "__main__":
    print(pathlib.Path(sys.argv[1]) / _write_wheel(sys.argv[1]))
