"""A Gemini function call whose arguments are streamed value by value.

With `stream_function_call_arguments` Vertex AI sends a part with the name, then parts of
`partial_args`: a value for a JSON path ("$.rooms[0].name"), texts in pieces. The call ends with the
first part that does not say `will_continue`, which may be empty or bring the last values
(https://github.com/vercel/ai/issues/14358).
"""

from __future__ import annotations

from typing import Any

from loom.lazy import lazy_re
from loom.providers.formats.stream.chunks import items
from loom.providers.formats.stream.growing import Growing
from loom.providers.formats.wire import Wire

_Path = tuple[str | int, ...]

_STEP = lazy_re(r"""\.([^.\[\]]+)|\[(\d+)\]|\['((?:[^'\\]|\\.)*)'\]|\["((?:[^"\\]|\\.)*)"\]""")
_ESCAPE = lazy_re(r"\\(.)")
_VALUES = ("string_value", "number_value", "bool_value")
_STREAMED = frozenset({"partial_args", "will_continue"})


class PartialCall:
    """A part with a function call that is not complete yet."""

    def __init__(self, part: Wire) -> None:
        self._part = Growing()
        self._call = Growing()
        self._leaves: dict[_Path, Any] = {}
        self.open = True
        self.take(part)

    @staticmethod
    def begins(part: Wire) -> bool:
        """Tell whether a part is the first of a streamed call."""
        call = part.get("function_call")
        return isinstance(call, dict) and bool(call.get("name")) and not _STREAMED.isdisjoint(call)

    def goes_on(self, part: Wire) -> bool:
        """Tell whether a part belongs to this call: a function call without a name."""
        call = part.get("function_call")
        return self.open and isinstance(call, dict) and not call.get("name")

    def take(self, part: Wire) -> None:
        """Add a part."""
        call = part["function_call"]
        self._part.take({name: value for name, value in part.items() if name != "function_call"})
        self._call.take({name: value for name, value in call.items() if name not in _STREAMED})
        for argument in items(call.get("partial_args")):
            self._put(argument)
        self.open = bool(call.get("will_continue"))

    def value(self) -> Wire:
        """Return the part with the call and the arguments so far."""
        call = self._call.value()
        call["args"] = {**(call.get("args") or {}), **_object(self._leaves)}
        return {"function_call": call, **self._part.value()}

    def _put(self, argument: Wire) -> None:
        path = _steps(str(argument.get("json_path") or ""))
        value = next((argument[name] for name in _VALUES if argument.get(name) is not None), None)
        if isinstance(value, str):
            pieces = self._leaves.get(path)
            if not isinstance(pieces, list):
                pieces = self._leaves[path] = []
            pieces.append(value)
        elif path:
            # The library has one type of number; a whole one was written without a fraction.
            if isinstance(value, float) and value.is_integer():
                value = int(value)
            self._leaves[path] = value


def _steps(path: str) -> _Path:
    """Return the keys and list numbers of a JSON path."""
    return tuple(
        int(number) if number else name or _ESCAPE.sub(r"\1", single or double)
        for name, number, single, double in _STEP.findall(path)
    )


def _object(leaves: dict[_Path, Any]) -> Wire:
    """Return the object whose values at the paths are the leaves."""
    tree: Wire = {}
    for path, leaf in leaves.items():
        node: Any = tree
        for step in path[:-1]:
            inner = node.get(step)
            node[step] = node = inner if isinstance(inner, dict) else {}
        if path:
            node[path[-1]] = "".join(leaf) if isinstance(leaf, list) else leaf
    return {str(key): _listed(value) for key, value in tree.items()}


def _listed(node: Any) -> Any:
    """Return a tree with the nodes that are numbered throughout as lists."""
    if not isinstance(node, dict):
        return node
    if node and all(isinstance(key, int) for key in node):
        return [_listed(node[key]) for key in sorted(node)]
    return {str(key): _listed(value) for key, value in node.items()}
