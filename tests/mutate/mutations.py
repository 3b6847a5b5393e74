"""The mutations of a source file, found in its syntax tree and applied to its bytes."""

import ast
from collections.abc import Callable, Iterator
from copy import copy
from pathlib import Path
from typing import Any

from msgspec import Struct

SHOWN = 80  # characters of an expression in the description of a change
OPERATORS: dict[type[ast.AST], type[Any]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.And: ast.Or, ast.Or: ast.And,
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.FloorDiv, ast.FloorDiv: ast.Mult,
}  # fmt: skip
NAMES = {"min": "max", "max": "min", "any": "all", "all": "any"}
DROPPED = (ast.AugAssign, ast.Raise, ast.Continue, ast.Break, ast.Delete)
# Types are not run, and what an assertion or a text for people says decides nothing.
SKIPPED = (ast.Assert, ast.JoinedStr)
UNRUN = {"annotation", "returns", "decorator_list", "bases"}


class Mutation(Struct, frozen=True):
    """One change of one file: `start` to `end` (bytes) become `replacement`.

    `path` is relative to the tree, `text` the line of source at `line`, and `function` the dotted
    name of what it stands in, "" at the level of the module.
    """

    path: str
    function: str
    line: int
    text: str
    change: str
    start: int
    end: int
    replacement: str

    def applied(self, source: bytes) -> bytes:
        """The source with the mutation in it."""
        return source[: self.start] + self.replacement.encode() + source[self.end :]


def mutations_of(tree: Path, path: Path) -> Iterator[Mutation]:
    """Every mutation of a file below a tree, in the order of the syntax tree."""
    source = path.read_bytes()
    lines = source.splitlines(keepends=True)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    for at, function in _nodes(ast.parse(source), ""):
        for node, changed in _changes(at):
            new = "pass" if changed is None else ast.unparse(changed)
            yield Mutation(
                path.relative_to(tree).as_posix(),
                function,
                node.lineno,
                lines[node.lineno - 1].decode().strip(),
                f"{_short(ast.unparse(node))} -> {_short(new)}",
                starts[node.lineno - 1] + node.col_offset,
                starts[node.end_lineno - 1] + node.end_col_offset,
                # In parentheses it binds as what it replaces did, whatever stands around it.
                new if changed is None else f"({new})",
            )


def _short(text: str) -> str:
    return " ".join(text.split())[:SHOWN]


def _nodes(node: ast.AST, inside: str) -> Iterator[tuple[ast.AST, str]]:
    """Every node that runs, with the dotted name of its function or class."""
    if isinstance(node, SKIPPED):
        return
    unrun = UNRUN
    if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
        inside = f"{inside}.{node.name}".lstrip(".")
        unrun = UNRUN | {"keywords"}
    yield node, inside
    for field, value in ast.iter_fields(node):
        if field not in unrun:
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST):
                    yield from _nodes(child, inside)


def _changes(node: Any) -> Iterator[tuple[Any, ast.AST | None]]:
    """Every node that may be replaced here, and its replacement; None is `pass`."""
    if isinstance(node, DROPPED):
        yield node, None
    for kind, change in RULES.items():
        if isinstance(node, kind):
            for changed in change(node):
                yield node, changed
    for test in (getattr(node, "test", None), *getattr(node, "ifs", ())):
        # Comparisons and operators have changes of their own.
        if isinstance(test, ast.Name | ast.Attribute | ast.Call):
            yield test, ast.UnaryOp(ast.Not(), test)


def _with(node: Any, **fields: Any) -> Any:
    changed = copy(node)
    for name, value in fields.items():
        setattr(changed, name, value)
    return changed


def _compared(node: ast.Compare) -> Iterator[ast.AST]:
    for at, operator in enumerate(node.ops):
        changed = OPERATORS[type(operator)]()
        yield _with(node, ops=[*node.ops[:at], changed, *node.ops[at + 1 :]])


def _operated(node: ast.BoolOp | ast.BinOp) -> Iterator[ast.AST]:
    if type(node.op) in OPERATORS:
        yield _with(node, op=OPERATORS[type(node.op)]())


def _affirmed(node: ast.UnaryOp) -> Iterator[ast.AST]:
    if isinstance(node.op, ast.Not):
        yield node.operand


def _constant(node: ast.Constant) -> Iterator[ast.AST]:
    if isinstance(node.value, bool):
        yield ast.Constant(not node.value)
    elif isinstance(node.value, int):
        yield from (ast.Constant(node.value + step) for step in (1, -1))


def _called(node: ast.Call) -> Iterator[ast.AST]:
    name = node.func.id if isinstance(node.func, ast.Name) else ""
    first, second = [*node.args, None, None][:2]
    starred = isinstance(first, ast.Starred) or isinstance(second, ast.Starred)
    if second is not None and not starred and name not in NAMES:  # their order means nothing
        yield _with(node, args=[second, first, *node.args[2:]])
    if name in NAMES:
        yield _with(node, func=ast.Name(NAMES[name]))


def _stated(node: ast.Expr) -> Iterator[None]:
    if isinstance(node.value, ast.Call):
        yield None


def _assigned(node: ast.Assign) -> Iterator[None]:
    """Of names it would only be a NameError; of fields and members it is a change forgotten."""
    if isinstance(node.targets[0], ast.Attribute | ast.Subscript):
        yield None


RULES: dict[type[ast.AST], Callable[[Any], Iterator[ast.AST | None]]] = {
    ast.Compare: _compared,
    ast.BoolOp: _operated,
    ast.BinOp: _operated,
    ast.UnaryOp: _affirmed,
    ast.Constant: _constant,
    ast.Call: _called,
    ast.Expr: _stated,
    ast.Assign: _assigned,
}
