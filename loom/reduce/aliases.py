"""The names that agents give their tools, and the canonical name that each of them stands for.

`canonical_tool` looks a name up as it is, then without regard to case and word separators
(`ReadFile`, `read-file`), then by the part after its namespace (`mcp__files__read_file`). It never
guesses from a part of a word: an unlisted tool keeps its own name and the default rule, except a
tool that edits files by the words of its name and by its arguments (`is_name_of_edit`)."""

from __future__ import annotations

from loom.lazy import lazy_re

READ = "fs:read_file"
WRITE = "fs:write_file"
EDIT = "fs:edit_file"
LIST = "fs:list_dir"
SEARCH = "fs:search"
WEB = "web:search"
VISIT = "browser:navigate"
SHELL = "system:shell"
WEATHER = "weather:get"

# Canonical name -> the names seen in coding agents, frameworks and tool servers, in one spelling
# each: case and the signs between words do not count.
NAMES: dict[str, tuple[str, ...]] = {
    READ: (
        "read", "read_file", "read_text_file", "view", "view_file", "view_image", "cat", "cat_file",
        "get_file", "get_file_contents", "open_file", "load_file", "notebook_read", "file_read",
        "fs_read", "read_lines",
    ),
    WRITE: (
        "write", "write_file", "write_to_file", "create_file", "save_file", "put_file", "new_file",
        "file_write", "fs_write", "write_text_file", "overwrite_file",
    ),
    EDIT: (
        "edit", "multi_edit", "notebook_edit", "edit_file", "apply_patch", "patch", "apply_diff",
        "replace_in_file", "search_replace", "search_and_replace", "str_replace",
        "str_replace_editor", "str_replace_based_edit_tool", "insert_content", "edit_block",
        "replace", "update_file", "file_edit", "edit_notebook",
    ),
    LIST: (
        "ls", "list_dir", "list_directory", "list_files", "list_folder", "read_dir",
        "read_directory", "dir", "tree", "directory_tree", "list_allowed_directories",
    ),
    SEARCH: (
        "grep", "glob", "rg", "ripgrep", "find", "find_files", "search_files", "search_code",
        "search_file_content", "search_dir", "search_file", "file_search", "file_glob_search",
        "grep_search", "codebase_search", "code_search", "find_file", "find_by_name", "search_text",
        "search_for_pattern",
    ),
    WEB: (
        "web_search", "search_web", "internet_search", "google_search", "google", "bing_search",
        "brave_search", "brave_web_search", "duckduckgo_search", "duckduckgo_results_json",
        "ddg_search", "tavily_search", "tavily_search_results_json", "tavily", "serpapi",
        "serper_search", "exa_search", "web_search_exa", "google_web_search", "searx_search",
        "web_search_preview",
    ),
    VISIT: (
        "web_fetch", "fetch", "fetch_url", "fetch_page", "http_get", "http_request", "requests_get",
        "browse", "browser", "browse_url", "browse_page", "navigate", "navigate_browser",
        "browser_navigate", "goto", "goto_url", "open_url", "visit", "visit_page", "visit_url",
        "read_url", "read_webpage", "scrape", "scrape_url", "firecrawl_scrape", "tavily_extract",
        "get_url", "url_fetch", "visit_webpage", "web_browser",
    ),
    SHELL: (
        "bash", "shell", "sh", "zsh", "powershell", "terminal", "console", "exec", "exec_command",
        "execute", "execute_bash", "execute_command", "execute_shell", "run", "run_command",
        "run_bash", "run_bash_command", "run_cmd", "run_shell", "run_shell_command",
        "run_terminal_cmd", "run_terminal_command", "run_in_terminal", "local_shell",
        "local_shell_call", "shell_command", "shell_exec", "container_exec", "command", "cmd",
        "bash_command", "terminal_command", "unified_exec", "subprocess",
    ),
    WEATHER: (
        "weather", "get_weather", "weather_get", "current_weather", "get_current_weather",
        "get_weather_forecast", "weather_forecast", "open_weather_map",
    ),
}  # fmt: skip

# A tool nobody listed edits a file when a word of its name says so, it names a file, and it gives
# what stood there and what comes in its place.
EDITS = frozenset({
    "amend", "change", "edit", "modify", "patch", "replace", "rewrite", "sub", "substitute",
    "swap", "update",
})  # fmt: skip
_WORDS = lazy_re(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")

# One tool with several faces: its `command` argument says which one this call is.
COMMANDS = {"view": READ, "create": WRITE, "str_replace": EDIT, "insert": EDIT, "undo_edit": EDIT}

SEPARATORS = ("__", ":", "/", ".")


def _folded_name(name: str) -> str:
    """Return a name in lower case without separators: "read_File" → "readfile"."""
    return name.casefold().replace("_", "").replace("-", "").replace(" ", "")


# A canonical name is also known as providers are sent it, where a colon is not allowed.
ALIASES: dict[str, str] = {
    _folded_name(name): tool
    for tool, names in NAMES.items()
    for name in (tool, tool.replace(":", "_"), *names)
}


def tool_by_command(tool: str, command: object) -> str:
    """Return the canonical tool chosen by the argument `command` of an edit tool: "view" → READ;
    else return `tool`."""
    return COMMANDS.get(command, tool) if tool == EDIT and isinstance(command, str) else tool


def is_name_of_edit(name: str) -> bool:
    """Return True if a word in a tool's name means editing: `patchSource`, `files__amend_text`."""
    return any(word.casefold() in EDITS for word in _WORDS.findall(name))


def canonical_tool(name: str) -> str:
    """Return the canonical name of a tool: "Read" → "fs:read_file"; unknown names unchanged."""
    return next((ALIASES[one] for one in name_spellings(name) if one in ALIASES), name)


def name_spellings(name: str) -> list[str]:
    """Return a tool's name with and without its namespace, in lower case without separators:
    "mcp__files__read_file" → ["mcpfilesreadfile", "readfile"]."""
    tails = (name.rpartition(separator)[2] for separator in SEPARATORS if separator in name)
    return [_folded_name(one) for one in (name, *tails)]
