"""Recorded sessions read into `loom.inputs`, whatever recorded them.

A format is known by its content, never by its name. In the order in which they are asked:

- Claude Code: lines of type `user` or `assistant` that wrap a `message`. Sub-agents (`isSidechain`)
  are sessions of their own, `SESSION/agent-ID`.
- Codex: lines of type `response_item` with a `payload`.
- opencode: messages with `info` and `parts`: what `opencode export` writes, and `opencode.db`, of
  which `PATH/opencode.db/SESSION` names one session.
- OpenHands: events with a `kind`, or with `action` and `args`, or `observation`; as a list, under
  `history`, or in a folder `events` with a file for each.
- LangChain: messages under `data` with a `type`, or under `kwargs` with `lc`.
- inspect: the samples of a log, as JSON or in an `.eval` archive (`zstandard` unpacks today's).
- SWE-agent and mini-swe-agent: an object with `info` and `trajectory` or `trajectory_format`.
- Gemini: messages with `parts`. Responses: items of its types.
- One message a line: `role`, `content`, `thinking`, calls by name, `ctx_tokens`.
- Anthropic: messages with its blocks. Chat Completions: any message with one of its roles.

A session is also the list under `messages`, `traj`, `history`, `input` or `contents` of an object.

A recorded shape is one `Importer`. A new one is a file that ends in it and a name in
`detect.IMPORTERS`; one that is not Loom's is an entry point of the group `loom.importers`. Either
is given the messages of a session as they were recorded: objects with a `role`, a `type` or another
mark of a message. It may tell what stands beside them (`facts`) and take several sessions apart
(`split`).
"""

from loom.replay.importers.detect import find, load
from loom.replay.importers.facts import RecordedFacts
from loom.replay.importers.talks import Importer, RecordedMessage, Talk, readable
from loom.replay.importers.unreadable import BadSession

__all__ = [
    "BadSession",
    "Importer",
    "RecordedFacts",
    "RecordedMessage",
    "Talk",
    "find",
    "load",
    "readable",
]
