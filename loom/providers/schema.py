"""Tool schemas, read from the shapes in which hosts declare tools, and written for a provider.

Gemini's own Schema (https://ai.google.dev/api/caching#Schema) is JSON Schema in another spelling:
types in capitals, `any_of` for `anyOf`, `nullable` for a type of null. It is converted to JSON
Schema, which every provider takes, Gemini under `parameters_json_schema`.

This module also words the errors that tell the model which kind of value an argument must be."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from inspect import getdoc, isroutine, signature
from json import dumps
from typing import Any

from msgspec import Struct, defstruct, field, json, to_builtins
from msgspec.structs import replace

from loom.errors import BadInput
from loom.text import provider_tool_name


def bad_tool_error(given: object, why: str = "") -> BadInput:
    """Return the error for a tool declaration that cannot be read. `why` is the reason; with "" the
    message lists the accepted shapes."""
    accepted = (
        'accepted are {"name", "description", "parameters"}, the same under "function" or in'
        ' a list of one under "function_declarations", or with "input_schema" or'
        ' "parameters_json_schema" for "parameters"'
    )
    try:
        said = repr(given)[:200]
    except (ValueError, RecursionError):  # nested without end, or a number of many digits
        said = f"a value of type {type(given).__name__}"
    lead = "" if isinstance(given, ToolSchema) else "not a tool declaration: "
    return BadInput(f"{lead}{why or accepted}; given is {said}")


class ToolSchema(Struct, frozen=True):
    """The declaration of a tool. `parameters` is the JSON Schema of its arguments.

    >>> loom.ToolSchema("now", "Return the time.").parameters
    {'type': 'object', 'properties': {}}"""

    name: str
    description: str = ""
    parameters: dict[str, Any] = field(default_factory=lambda: {"type": "object", "properties": {}})


ToolGiven = ToolSchema | Mapping[str, Any] | Callable[..., Any]


def tool_schemas_of(tool: ToolGiven) -> tuple[ToolSchema, ...]:
    """Return the ToolSchemas of a tool: a function, or a declaration in a provider's shape. A
    Gemini declaration may give several, any other tool one. Raises BadInput."""
    if isinstance(tool, ToolSchema):
        return (tool,)
    if isroutine(tool):
        return (_function_schema(tool),)
    given = _as_mapping(tool)
    several = _member_in_either_case(given, "function_declarations")
    if several is None:
        return (_mapping_schema(given),)
    if not isinstance(several, list) or not several:
        raise bad_tool_error(tool, "`function_declarations` holds a list of at least one function")
    return tuple(_mapping_schema(_as_mapping(one)) for one in several)


def _function_schema(function: Callable[..., Any]) -> ToolSchema:
    """Return the ToolSchema of a function, made from its name, docstring and annotations. Raises
    BadInput if a parameter cannot be given by name, or if its type has no JSON Schema."""
    try:
        told = signature(function, eval_str=True).parameters.values()
        fields = [
            (
                one.name,
                Any if one.annotation is one.empty else one.annotation,
                *(() if one.default is one.empty else (one.default,)),
            )
            for one in told
        ]
        for one in told:
            if one.kind not in (one.POSITIONAL_OR_KEYWORD, one.KEYWORD_ONLY):
                raise TypeError(f"the parameter {one.name} cannot be given by name")
        made = defstruct("Parameters", fields, kw_only=True)
        (_,), held = json.schema_components([made], ref_template="#/$defs/{name}")
    except (TypeError, ValueError, NameError) as error:
        raise bad_tool_error(function, f"{error}") from error
    schema = {key: value for key, value in held.pop("Parameters").items() if key != "title"}
    parameters = schema | ({"$defs": held} if held else {})
    return ToolSchema(function.__name__, getdoc(function) or "", parameters)


def _as_mapping(tool: object) -> Mapping[str, Any]:
    """Return a declaration as a mapping, converted if it is an object of a provider's library.
    Raises BadInput for any other value."""
    dump = getattr(tool, "model_dump", None)
    given = dump(mode="json", exclude_none=True) if callable(dump) else tool
    if not isinstance(given, Mapping):
        raise bad_tool_error(tool)
    return given


def _mapping_schema(tool: Mapping[str, Any]) -> ToolSchema:
    """Return the ToolSchema of one tool declared in a provider's shape. Raises BadInput."""
    inner = tool.get("function", tool)
    name = inner.get("name") if isinstance(inner, Mapping) else None
    if not isinstance(name, str) or not name:
        raise bad_tool_error(tool)
    parameters = (
        _member_in_either_case(inner, "parameters_json_schema")
        or inner.get("parameters")
        or inner.get("input_schema")
        or ToolSchema("").parameters
    )
    if not isinstance(parameters, Mapping):
        raise bad_tool_error(tool, "the parameters of a tool are a JSON Schema, an object")
    if _is_gemini_schema(parameters):
        try:
            parameters = _gemini_to_json_schema(parameters)
        except RecursionError:
            raise bad_tool_error(tool, "its parameters are nested too deep") from None
    try:
        said = str(inner.get("description") or "")
    except (ValueError, RecursionError):
        raise bad_tool_error(tool, "the description of a tool is a text") from None
    return ToolSchema(name, said, dict(parameters))


def _member_in_either_case(given: Mapping[str, Any], name: str) -> Any:
    """Return the member `name` of a mapping, whose key may be in snake_case (as `name`) or in
    camelCase; None if it is missing."""
    value = given.get(name)
    return given.get(_camel_case(name)) if value is None else value


def _camel_case(name: str) -> str:
    head, *rest = name.split("_")
    return head + "".join(word.capitalize() for word in rest)


# Gemini's names of types.
_TYPES = frozenset({"STRING", "NUMBER", "INTEGER", "BOOLEAN", "ARRAY", "OBJECT", "NULL"})

# Counts that Gemini's library writes as text.
_COUNTS = frozenset(
    {"minItems", "maxItems", "minLength", "maxLength", "minProperties", "maxProperties"}
)


def _is_gemini_schema(schema: Mapping[str, Any]) -> bool:
    kind = schema.get("type")
    return isinstance(kind, str) and kind in _TYPES


def _gemini_to_json_schema(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return Gemini's own kind of Schema converted to JSON Schema."""
    read: dict[str, Any] = {}
    for name, value in schema.items():
        key = _camel_case(name)
        match value:
            case str() if key == "type" and value in _TYPES:
                read[key] = value.lower()
            case str() if key in _COUNTS and value.isdecimal():
                read[key] = int(value)
            case Mapping() if key == "properties":
                read[key] = {
                    named: _gemini_to_json_schema(inner) if isinstance(inner, Mapping) else inner
                    for named, inner in value.items()
                }
            case Mapping() if key in {"items", "additionalProperties"}:
                read[key] = _gemini_to_json_schema(value)
            case list() if key == "anyOf":
                read[key] = [
                    _gemini_to_json_schema(inner) for inner in value if isinstance(inner, Mapping)
                ]
            case _ if key != "nullable":
                read[key] = value
    if schema.get("nullable") and isinstance(read.get("type"), str):
        read["type"] = [read["type"], "null"]
    return read


def schema_document(schema: ToolSchema) -> str:
    """Return a ToolSchema as JSON text, with its keys in a fixed order. Raises BadInput for a value
    that JSON cannot hold."""
    try:
        return dumps(
            to_builtins(schema), ensure_ascii=False, allow_nan=False, separators=(",", ":")
        )
    except (TypeError, ValueError, RecursionError, OverflowError) as error:
        raise bad_tool_error(
            schema, f"it cannot be written as JSON ({type(error).__name__})"
        ) from None


def schema_as_sent(document: str) -> ToolSchema:
    """Return the ToolSchema in a JSON text, with the tool's name as requests spell it."""
    tool = json.decode(document, type=ToolSchema)
    return replace(tool, name=provider_tool_name(tool.name))


# How a request of each of Loom's formats has a declaration. In Responses `strict` is on unless it
# is switched off, and refuses schemas with optional parameters; Gemini's stands in a list, under
# `function_declarations`.
SHAPES: dict[str, Callable[[ToolSchema], dict[str, Any]]] = {
    "openai": lambda tool: {"type": "function", "function": to_builtins(tool)},
    "responses": lambda tool: {"type": "function", **to_builtins(tool), "strict": False},
    "anthropic": lambda tool: {
        "name": tool.name, "description": tool.description, "input_schema": tool.parameters,
    },
    "gemini": lambda tool: {
        "name": tool.name, "description": tool.description,
        "parameters_json_schema": tool.parameters,
    },
}  # fmt: skip

# By the type of a JSON Schema: the words, and what Python reads such a value as.
KINDS: dict[str, tuple[str, type | tuple[type, ...]]] = {
    "boolean": ("true or false", bool),
    "string": ("a text", str),
    "array": ("a list", list),
    "object": ("an object", dict),
    "number": ("a number", (int, float)),
    "integer": ("a whole number", int),
}


def expected_kind(schema: Mapping[str, Any]) -> str:
    """Return words for the kind of value that a schema asks for, such as "a whole number", or "a
    value" if the schema does not say."""
    if isinstance(choices := schema.get("enum"), list) and all(isinstance(c, str) for c in choices):
        return f"one of {', '.join(choices)}"
    kind = schema.get("type")
    return KINDS[kind][0] if isinstance(kind, str) and kind in KINDS else "a value"


def kind_of_value(value: object) -> str:
    """Return words for the kind of a value, such as "a text"; "null" for None and for any value
    that is not of a JSON type."""
    return next((said for said, kinds in KINDS.values() if isinstance(value, kinds)), "null")


def wrong_argument(schema: Mapping[str, Any], given: Mapping[str, Any]) -> str:
    """Return a sentence about the first argument that is missing or of the wrong kind; "" if there
    is none. `schema` is the tool's, `given` are the arguments."""
    properties = schema.get("properties")
    known = properties if isinstance(properties, dict) else {}
    for name in schema.get("required") or ():
        if name not in given:
            return f"`{name}` is missing: it is {_expected_kind_of(known, name)}"
    for name, value in given.items():
        if value is not None and not _is_of_kind(known.get(name), value):
            return f"`{name}` is {_expected_kind_of(known, name)}, not {kind_of_value(value)}"
    return ""


def _expected_kind_of(known: Mapping[str, Any], name: str) -> str:
    """Return words for the kind of value that the argument `name` must be. `known` maps arguments
    to their schemas."""
    schema = known.get(name)
    return expected_kind(schema if isinstance(schema, dict) else {})


def _is_of_kind(schema: object, value: object) -> bool:
    """Tell whether a value has the type that its schema names, if any."""
    kind = schema.get("type") if isinstance(schema, dict) else None
    if not isinstance(kind, str) or kind not in KINDS:
        return True
    if kind in ("number", "integer") and isinstance(value, bool):
        return False
    if kind == "integer" and isinstance(value, float):
        return value.is_integer()
    return isinstance(value, KINDS[kind][1])
