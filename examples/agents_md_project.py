"""Show which rules of a project are in force at a file, and what an edit of a rule does.

    python examples/agents_md_project.py [FOLDER]

It makes a small project with an AGENTS.md at the root, one in a folder below, and a skill; opens a
workspace in it; and lets an agent read a file down there. The rules from the root down to the
folder it works in are in force, the closest one last. A guide that is edited on disk counts from
the next turn on, and the model is told what changed. No model is asked.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from endpoint import options

import loom

FILES = {
    "AGENTS.md": "# Rules\n\n- Indent with spaces.\n- Run `make test` before committing.\n",
    "firmware/AGENTS.md": "# Firmware\n\n- Indent with tabs.\n- Never allocate in an interrupt.\n",
    "firmware/timer.c": "void tick(void)\n{\n\tcount++;\n}\n",
    "tools/report.py": "print('report')\n",
    ".agents/skills/release/SKILL.md": (
        "---\nname: release\ndescription: Cut a release of this project.\n---\n\n"
        "Tag the commit, build the image, upload it.\n"
    ),
}


def make_project(root: Path) -> None:
    """Write the project anew; `.git` says where its root is."""
    shutil.rmtree(root, ignore_errors=True)
    (root / ".git").mkdir(parents=True)
    for name, text in FILES.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")


def read(ctx: loom.Context, root: Path, number: int, name: str) -> None:
    """A turn in which the agent reads a file of the project."""
    ctx.turn()
    arguments = json.dumps({"path": str(root / name)})
    ctx.reply(loom.Reply((loom.ToolCall(f"call_{number}", "read_file", arguments),)))
    ctx.result(f"call_{number}", (root / name).read_text("utf-8"))


def show(ctx: loom.Context, root: Path, title: str) -> None:
    """Print the rules in force by file and line, the closest last."""
    request = json.dumps(ctx.turn().request("openai")["messages"])
    print(title)
    for guide in ctx.memory.merged.guides:
        path = Path(guide.path)
        for line in guide.lines:
            if line.text.startswith("- "):
                sent = "sent" if json.dumps(line.text[2:])[1:-1] in request else "not sent"
                print(f"  {path}:{line.number}  {line.text[2:]}  ({sent})")
    print()


def main() -> None:
    """Open a workspace in the project, read, edit a rule, and read again."""
    given = options(__doc__, "runs/agents_md_project").parse_args()
    root = given.folder.resolve() / "project"
    shutil.rmtree(given.folder / "workspace", ignore_errors=True)  # it shows the same each time
    make_project(root)
    with loom.open(given.folder / "workspace", project=root, window=16_000) as ctx:
        ctx.user("Tidy up the timer.")
        show(ctx, root, "At the root, before anything is read:")
        read(ctx, root, 1, "tools/report.py")
        read(ctx, root, 2, "firmware/timer.c")
        show(ctx, root, "After firmware/timer.c was read, its folder's guide has joined:")
        guide = root / "firmware/AGENTS.md"
        guide.write_text(guide.read_text("utf-8").replace("tabs", "two spaces"), "utf-8")
        show(ctx, root, "After firmware/AGENTS.md was edited on disk:")
        own = [one for one in ctx.skills.found if Path(one.folder).is_relative_to(root)]
        print("Skills of the project, listed in every request:")
        for skill in own:  # those of the user's own folders are listed as well
            print(f"  {skill.name}: {skill.description}")
        print(ctx.skills.use("release"))
        body = "Tag the commit, build the image, upload it."
        print("its text is sent" if body in str(ctx.turn().request("openai")) else "not sent")


if __name__ == "__main__":
    main()
