"""What a tool is, and how tools are declared, found, and described."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import json

from loom.capabilities.toolbox.descriptor import ToolDescriptor
from loom.capabilities.toolbox.registry import Toolbox
from loom.errors import BadInput
from tests.kit.cases import all_cases

# What an agent's tools are about, with the parameter each is found by, and what can be done to it.
SUBJECTS = {
    "file": ("path", "Path from the root of the project."),
    "pull_request": ("number", "Number of the pull request."),
    "email": ("message_id", "Id of the message as the mailbox lists it."),
    "customer": ("customer_id", "Id of the customer, such as cus_1042."),
    "invoice": ("invoice_id", "Id of the invoice."),
    "web_page": ("url", "Absolute URL, https only."),
    "translation": ("locale", "Locale as BCP 47 has it, such as pt-BR."),
}
VERBS = {
    "read": "Return the {} with all its fields.",
    "list": "List each {} that matches, newest first.",
    "create": "Create a {}; fails if there is one.",
    "update": "Change fields of a {} and keep the rest.",
    "delete": "Delete a {} for good, after a dry run.",
}


def boxed() -> Toolbox:
    """A toolbox of thirty-five tools such as an agent may have."""
    box = Toolbox()
    for verb, says in VERBS.items():
        for subject, (key, means) in SUBJECTS.items():
            properties = {key: {"type": "string", "description": means}}
            parameters = {"type": "object", "properties": properties, "required": [key]}
            words = says.format(subject.replace("_", " "))
            box.add(ToolDescriptor(f"{verb}_{subject}", words, parameters, 2))
    return box


def names(found: tuple[ToolDescriptor, ...]) -> list[str]:
    """Their names, in order."""
    return [one.name for one in found]


def test_names_are_unique() -> None:
    """A second tool of a name is an error, also of one that providers are sent alike."""
    box = Toolbox()
    box.add(ToolDescriptor("fs:read", "", {}))
    for name in ("fs:read", "fs_read"):
        with pytest.raises(BadInput, match=f"'{name}' already"):
            box.add(ToolDescriptor(name, "Other.", {}))
    assert len(box) == 1 and box.get("fs:read").descriptor.description == ""


@all_cases(
    ("words", "first"),
    [
        ("delete_email", "delete_email"),
        ("read_web_page", "read_web_page"),
        ("list invoices", "list_invoice"),
        ("deleting a customer", "delete_customer"),
        ("update locale", "update_translation"),
        ("createPullRequest", "create_pull_request"),
        ("read url", "read_web_page"),
        ("BCP 47", None),
        ("what is nowhere", None),
        ("的", None),
    ],
)
def test_find(words: str, first: str | None) -> None:
    """Tools are found by their name, what they do, and what their parameters are called."""
    found = names(boxed().find(words))
    assert found[:1] == ([first] if first else [])


@given(st.text(max_size=40), st.integers(-1, 70))
def test_any_words(words: str, limit: int) -> None:
    """Whatever is asked, what is found is in the toolbox, each once."""
    found = BOX.find(words, limit)
    assert len({one.name for one in found}) == len(found)
    assert all(BOX.get(one.name).descriptor is one for one in found)
    assert BOX.described(found)


BOX = boxed()


def test_described() -> None:
    """The model is told what a tool does, takes, needs, and how it is called."""
    parameters = {"type": "object", "properties": {"x": {"type": "integer"}}}
    one = ToolDescriptor("a:b", "Does it.", parameters, 3, requires_approval=True)
    assert Toolbox().described([one], through="use") == (
        "a:b (level 3)\n"
        "Does it.\n"
        'parameters: {"type":"object","properties":{"x":{"type":"integer"}}}\n'
        "approval: needed for every call\n"
        'call: use with {"name": "a:b", "arguments": {…}}'
    )
    plain = Toolbox().described([ToolDescriptor("c", "", {})])
    assert "call: by its name" in plain and "(no description)" in plain
    assert json.encode(parameters).decode() in Toolbox().described([one])


NONE: dict[str, list[Any]] = {
    "not empty": [("", "", {}), ("  ", "", {}), (7, "", {})],
    "control": [("a\nb", "", {}), ("a\ud800", "", {})],
    "spaces at its ends": [(" a", "", {})],
    "description": [("a", None, {})],
    "schema of an object": [("a", "", wrong) for wrong in ([], None, {"type": "string"})],
    "are JSON": [("a", "", {"default": object()})],
    "1, 2 or 3": [("a", "", {}, level) for level in (0, 4, True, "1")],
}


@all_cases(("given", "why"), [(given, why) for why, rows in NONE.items() for given in rows])
def test_no_tool(given: tuple[Any, ...], why: str) -> None:
    """What is no tool is none from the start, and says why."""
    with pytest.raises(BadInput, match=f"(?i){why}"):
        ToolDescriptor(*given)
