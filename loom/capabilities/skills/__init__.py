"""Agent Skills: folders with a SKILL.md, found, read, listed in the window and judged.

    discover → Skill → catalogue, matching → body, resource

What stands in the window is a catalogue of names and descriptions; a body is read when it is asked
for (https://agentskills.io/specification, "Progressive disclosure").
"""
