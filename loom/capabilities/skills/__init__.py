"""Agent Skills: folders with a SKILL.md; found, read, listed in the window and matched with a goal.

    discover_skills → Skill → catalogue_text, skills_for_goal → read_body, read_resource

In the window stands a catalogue of names and descriptions; a skill's body is read when the skill is
asked for (https://agentskills.io/specification, "Progressive disclosure")."""
