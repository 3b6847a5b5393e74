"""Stage 1: what comes back from a tool, made minimal but recoverable. Pure: no disk, no clock."""

from loom.reduce.aliases import canonical as canonical
from loom.reduce.arguments import GATEWAY as GATEWAY
from loom.reduce.arguments import meant as meant
from loom.reduce.arguments import parse as parse
from loom.reduce.deeds import facts_of_result as facts_of_result
from loom.reduce.facts import facts_of_reply as facts_of_reply
from loom.reduce.notes import voice_of as voice_of
from loom.reduce.preview import minimal_arguments as minimal_arguments
from loom.reduce.preview import preview as preview
from loom.reduce.preview import preview_spoken as preview_spoken
from loom.reduce.rule import TEMPLATES as TEMPLATES
from loom.reduce.rule import Observation as Observation
from loom.reduce.rule import Rule as Rule
from loom.reduce.rule import ToolResult as ToolResult
from loom.reduce.rules import called as called
from loom.reduce.rules import reduce as reduce
from loom.reduce.rules import unanswered as unanswered
from loom.reduce.said import facts_of_user as facts_of_user
