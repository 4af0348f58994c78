"""The typing stubs that follow from compiled code and tables: espalier/_native.pyi and espalier/_learners.pyi.

    PYTHONPATH=build/python python3 python/stubs.py --write     puts them right

A test compares them with the module.
"""

import inspect
import pathlib
import re
import sys

FOLDER = pathlib.Path(__file__).resolve().parent / "espalier"
HEAD = '"""Made by python/stubs.py; do not edit."""\n\n'
TYPES = ((r"espalier::python::Form|espalier\._native\.Form", "Form"), (r"espalier\._native\.", ""),
         (r"numpy\.ndarray\[numpy\.float32\]", "npt.NDArray[np.float32]"), (r"\bhandle\b|\bobject\b", "Any"),
         (r"\bdict\b", "Dict[Any, Any]"), (r"\blist\b", "List[Any]"), (r"\btuple\b", "Tuple[Any, ...]"))


def _signature(text, name):
    """`name(args) -> type` of a pybind11 docstring as a line of a stub."""
    found = re.match(rf"{name}\((.*)\) -> (.*)$", text.strip().split("\n")[0])
    if not found:
        raise ValueError(f"no signature in the documentation of {name}: {text!r}")
    arguments, result = found.groups()
    arguments = re.sub(r"self: [^,)]+", "self", arguments)
    for pattern, replacement in TYPES:
        arguments, result = re.sub(pattern, replacement, arguments), re.sub(pattern, replacement, result)
    return f"def {name}({arguments}) -> {result}: ..."


def native():
    """The stub of the extension module."""
    from espalier import _native
    lines = ["from typing import Any, Dict, List, Optional, Tuple", "", "import numpy as np",
             "import numpy.typing as npt", ""]
    for name, value in sorted(vars(_native).items()):
        if name.startswith("__"):
            continue
        if inspect.isclass(value) and issubclass(value, Exception):
            lines += ["", f"class {name}(ValueError): ..."]
        elif name == "Form":
            lines += ["", "class Form:", *(f"    {member}: Form" for member in value.__members__)]
        elif inspect.isclass(value):
            lines += ["", f"class {name}:"]
            for method, function in sorted(vars(value).items()):
                if isinstance(function, property):
                    lines.append(f"    {method}: List[str]")
                elif method in ("__init__", "__len__") or not method.startswith("__"):
                    static = isinstance(function, staticmethod)
                    documented = getattr(value, method).__doc__
                    if method == "__init__" and "(self:" not in documented:
                        continue
                    if static:
                        lines.append("    @staticmethod")
                    lines.append("    " + _signature(documented, method))
        else:
            lines += ["", _signature(value.__doc__, name)]
    return HEAD + "\n".join(lines) + "\n"


def learners():
    """The stub of the learners, one class each."""
    from espalier import _learners
    lines = ["from typing import (Any, ClassVar, Dict, List, Literal, Mapping, NamedTuple, Optional, Sequence, Tuple, Type,",
             "                    Union)", "",
             "class Parameter(NamedTuple):", "    name: str", "    default: str", "    meaning: str", "    range: str",
             "    basic: bool", "", "class Learner:", "    name: ClassVar[str]", "    tasks: ClassVar[Tuple[str, ...]]",
             "    parameters: ClassVar[Dict[str, Parameter]]", "    settings: Dict[str, Any]",
             "    def __init__(self, **settings: Any) -> None: ...", "    def pairs(self) -> List[Tuple[str, str]]: ..."]
    for made in _learners.LEARNERS.values():
        lines += ["", f"class {made.__name__}(Learner):", f'    """{made.__doc__.splitlines()[0]}"""',
                  "    def __init__(", "        self,", "        *,"]
        lines += [f"        {name}: {_kind(p.default, p.range, p.meaning)} = ...," for name, p in made.parameters.items()]
        lines += ["    ) -> None: ..."]
    names = ", ".join(f'"{name}"' for name in _learners.__all__)
    lines += ["", f"__all__ = [{names}]", "", "LEARNERS: Dict[str, Type[Learner]]", "", "def class_name(learner: str) -> str: ...",
              "def learner_of(", "    given: Union[None, str, Learner], settings: Optional[Dict[str, Any]] = ...",
              ") -> Learner: ..."]
    return HEAD + "\n".join(lines) + "\n"


def _kind(default, allowed, meaning):
    """The type of a parameter, from its default and from what its table says it can be."""
    automatic = ', Literal["auto"]' if default == "auto" else ""
    if allowed == "yes or no":
        return 'Union[None, bool, Literal["yes", "no"]]'
    if re.match(r"(from )?-?[0-9]", allowed):
        return f"Union[None, float{automatic}]"
    if allowed.startswith("numbers, "):
        return f"Union[None, float, Sequence[float]{automatic}]"
    if allowed == "text":
        return "Union[None, str, Mapping[str, float]]" if "LABEL:WEIGHT" in meaning else "Union[None, str, Sequence[str]]"
    names = allowed.split(", ")
    if not all(re.fullmatch(r"[a-z0-9-]+", name) for name in names):
        raise ValueError(f"neither a number nor names to choose from: {allowed!r}")
    values = [f'"{name}"' for name in names] + [name for name in names if name.isdigit()]
    return f"Union[None, Literal[{', '.join(values)}]]"


STUBS = {"_native.pyi": native, "_learners.pyi": learners}

if __name__ == "__main__":
    # The folder of this file has the package without its compiled part.
    sys.path[:] = [p for p in sys.path if pathlib.Path(p).resolve() != FOLDER.parent]
    wrong = 0
    for name, make in STUBS.items():
        path, text = FOLDER / name, make()
        if path.exists() and path.read_text(encoding="utf-8") == text:
            continue
        if "--write" in sys.argv:
            path.write_text(text, encoding="utf-8")
            print("wrote", path)
        else:
            print(f"{path} is out of date; run python/stubs.py --write")
            wrong = 1
    sys.exit(wrong)
