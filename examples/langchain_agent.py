"""An agent of LangChain (`create_agent`) whose threads are kept within a window by Loom.

    pip install ".[langchain]" langchain-openai langgraph-checkpoint-sqlite
    python examples/langchain_agent.py [FOLDER]

The agent reads the parts of a report. LangChain's thread keeps every message, in SQLite; what is
sent to the model stays within 8,192 tokens. Run it again: the same thread goes on.
"""

from __future__ import annotations

import os
import re

from endpoint import endpoint_of, options
from langchain.agents import create_agent
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI
from langgraph.checkpoint.sqlite import SqliteSaver
from scripted import Said, Seen

from loom.adapters.langchain import LoomMiddleware
from loom.adapters.sessions import Sessions

PARTS = 10  # parts of the report that are read in one run
WINDOW = 8_192
THREAD = {"configurable": {"thread_id": "report"}, "recursion_limit": 100}


@tool
def read_part(number: int) -> str:
    """Read a part of the report."""
    lines = [f"{number}.{line}: {line * number * 31 % 997} units sold" for line in range(90)]
    return "\n".join([f"Part {number} was written by author {number * 7}.", *lines])


def script(seen: Seen) -> Said:
    """A scripted model: it reads the parts that the newest order names, one by one."""
    first, last = map(int, re.findall(r"Read parts (\d+) to (\d+)", seen.text)[-1])
    read = [given["number"] for name, given in seen.calls if name == "read_part"]
    number = max([first, *(one + 1 for one in read if one >= first)])
    if number > last:
        return f"Parts {first} to {last} are read.", []
    return f"Part {number}.", [("read_part", {"number": number})]


def main() -> None:
    """Have the agent read on, and compare the thread with what was sent."""
    given = options(__doc__, "runs/langchain_agent", "openai").parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    with (
        endpoint_of(given, script) as endpoint,
        SqliteSaver.from_conn_string(str(given.folder / "threads.db")) as saver,
        Sessions(given.folder / "loom", window=WINDOW, goal="Read the report.") as sessions,
    ):
        # ChatAnthropic, or any other chat model of LangChain's, can stand here.
        model = ChatOpenAI(
            model=given.model,
            base_url=endpoint.base_url,
            api_key=os.environ.get("OPENAI_API_KEY", "none"),
        )
        # Without this one argument the agent is as it was, and sends its whole thread each time.
        agent = create_agent(
            model, [read_part], checkpointer=saver, middleware=[LoomMiddleware(sessions)]
        )
        context = sessions.of("report")  # the adapter finds it by the id of the thread
        done = context.window.sent.turn
        known = agent.get_state(THREAD).values.get("messages", [])
        first = sum(message.type == "tool" for message in known) + 1
        print(f"messages in the thread: {len(known)}, requests so far: {done}")
        order = f"Read parts {first} to {first + PARTS - 1}, one by one."
        messages = agent.invoke({"messages": [("user", order)]}, THREAD)["messages"]
        print(f"answer: {messages[-1].text}")
        print(f"messages in the thread: {len(messages)}, requests: {context.window.sent.turn}")
        size = context.pressure
        print(f"the window now: {size.tokens.total:,} of {size.capacity:,} tokens,"
              f" {size.pages} pages, generation {size.generation}")  # fmt: skip
        print("a page, brought back:", context.page_in("tool_0002", lines="1").text.strip())


if __name__ == "__main__":
    main()
