"""Agent Skills: folders with a SKILL.md, found, read, listed in the window and judged.

    discover → Skill → catalogue, matching → body, resource

What stands in the window is a catalogue of names and descriptions; a body is read when it is asked
for (https://agentskills.io/specification, "Progressive disclosure").
"""

from loom.capabilities.skills.capability import Skills
from loom.capabilities.skills.discover import SkillSet, SkillWarning, discover, places
from loom.capabilities.skills.match import matching
from loom.capabilities.skills.skill import Skill, body, load, resource, resources

__all__ = [
    "Skill",
    "SkillSet",
    "SkillWarning",
    "Skills",
    "body",
    "discover",
    "load",
    "matching",
    "places",
    "resource",
    "resources",
]
