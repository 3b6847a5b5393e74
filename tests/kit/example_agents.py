"""What the tests of `examples/` share: a file that is read, and servers with a script."""

import loom
from tests.kit.steps import WAYS, Serve, no_fault, serve, text_of  # noqa: F401

WINDOW = 16_384
READ = ("read_file", {"path": "src/a.py"})
OTHER = ("read_file", {"path": "src/b.py"})


def nothing_twice(ctx: loom.Context, *, parts: int = 0) -> None:
    """What stands in the context is what its list has, and the last reply; no entry beside them.

    `parts` is how many more entries messages of several parts became than one each.
    """
    index, own = ctx._engine.workspace.index, ctx.tools.own
    ids = [id for id in range(1, ctx.window.history.next_id) if id in index]
    found = {id: ctx.history.restore(id) for id in ids if not index.is_undone(id)}
    known = {one.entry for one in ctx.history.synced}
    heard = [id for id, one in found.items() if one.reply is None]
    assert len([id for id in heard if id not in known]) == parts
    replies = [(id, one.reply) for id, one in found.items() if one.reply is not None]
    hosts = [id for id, reply in replies if not {call.name for call in reply.calls} & own
             or {call.name for call in reply.calls} - own]  # fmt: skip
    assert [id for id in hosts if id not in known] == hosts[-1:]
