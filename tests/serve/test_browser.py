"""A hostile page in a real browser on the same machine: it reaches nobody through the proxy."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("uvicorn")

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse
from starlette.routing import Route

from loom.serve.guard import FOREIGN
from tests.kit import browser
from tests.serve.proxied import proxy, served
from tests.serve.upstream import Upstream

# Every way a page has to send a request without leave, and to read what comes.
PAGE = """<!doctype html><meta charset=utf-8><title>evil</title><ol id=told></ol>
<form id=form method=post enctype=text/plain target=frame action="URL/v1/messages">
<input name='{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"hi"}],"a":"'
 value='"}'></form><iframe name=frame id=frame></iframe>
<iframe id=health src="URL/loom/health"></iframe><img src="URL/v1/models">
<script src="URL/loom/health"></script><link rel=stylesheet href="URL/v1/models">
<script>
const body = JSON.stringify({model: "m", max_tokens: 9,
  messages: [{role: "user", content: "hi"}]});
const tell = (what, how) => {
  const item = document.createElement("li");
  item.textContent = what + ": " + how;
  document.getElementById("told").append(item);
};
const tried = {
  get: () => fetch("URL/loom/health"),
  post: () => fetch("URL/v1/messages", {method: "POST", body}),
  json: () => fetch("URL/v1/messages",
    {method: "POST", body, headers: {"content-type": "application/json", "x-api-key": "k"}}),
  blind: () => fetch("URL/v1/messages", {method: "POST", mode: "no-cors", body}),
  local: () => fetch("URL/v1/messages".replace("127.0.0.1", "localhost"),
    {method: "POST", mode: "no-cors", body}),
};
for (const [name, send] of Object.entries(tried)) {
  send().then(async (r) => tell(name, r.type + " " + r.status + " " + await r.text()),
    () => tell(name, "refused"));
}
navigator.sendBeacon("URL/v1/messages", body);
const socket = new WebSocket("URL/v1/messages".replace("http", "ws"));
socket.onopen = () => tell("socket", "open");
socket.onerror = () => tell("socket", "refused");
const events = new EventSource("URL/loom/health");
events.onopen = () => tell("events", "open");
events.onerror = () => tell("events", "refused");
document.getElementById("form").submit();
</script>"""


def test_a_hostile_page_gets_nothing(tmp_path: Path) -> None:
    """By fetch, form, frame, image, script, beacon, socket and event stream: no request goes on to
    the provider, none makes a conversation, and nothing that was said can be read."""
    browser.need_chromium(browser.CHROMIUM)
    visits: list[str] = []
    with Upstream(lambda request, n: "Hello!") as up, proxy(tmp_path / "w", up.url) as url:

        async def hostile(request: Request) -> HTMLResponse:
            visits.append(request.url.path)
            return HTMLResponse(PAGE.replace("URL", url))

        with served(Starlette(routes=[Route("/{path:path}", hostile)])) as evil:
            document = browser.document(tmp_path / "profile", f"{evil}/page")
    assert "/page" in visits
    for name in ("get", "post", "json", "socket", "events"):
        assert f"<li>{name}: refused</li>" in document
    for name in ("blind", "local"):  # the browser sends these, and lets nobody read the answer
        assert f"<li>{name}: opaque 0 </li>" in document
    assert up.requests == []
    assert [one.name for one in (tmp_path / "w").iterdir() if one.is_dir()] == []


def test_a_name_bound_anew_to_this_machine(tmp_path: Path) -> None:
    """A page whose own host leads to the proxy (DNS rebinding) is of its origin, and refused."""
    browser.need_chromium(browser.CHROMIUM)
    with Upstream(lambda request, n: "Hello!") as up, proxy(tmp_path / "w", up.url) as url:
        port = url.rpartition(":")[2]
        rebound = "--host-resolver-rules=MAP evil.example 127.0.0.1"
        address = f"http://evil.example:{port}/loom/health"
        document = browser.document(tmp_path / "profile", address, rebound)
        own = browser.document(tmp_path / "profile", f"{url}/loom/health")
    assert FOREIGN in document and "requests" not in document
    assert '"loom":' in own  # typed into the address bar it is the user's own
