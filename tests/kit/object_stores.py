"""Object stores on the loopback for tests: SeaweedFS of several processes, and moto."""

from __future__ import annotations

import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen
from uuid import uuid4

BUCKET = "workspaces"
CONFLICT = 409
READY = 60  # seconds until a server answers, at most
# A server on the loopback asks for no credentials; the client wants some.
KEYS = {"access_key_id": "any", "secret_access_key": "any", "region": "us-east-1"}
_running: list[S3Server] = []


class S3Server:
    """An S3 server: its address, and the processes that it is made of, by what they are."""

    def __init__(self, address: str, processes: dict[str, subprocess.Popen[bytes]]) -> None:
        self.address = address
        self.processes = processes

    def client(self, prefix: str = "", address: str = "") -> Any:
        """An obstore client of the bucket, through another address (of a proxy) where given."""
        from obstore.store import S3Store

        return S3Store(
            BUCKET,
            prefix=prefix or None,
            endpoint=address or self.address,
            client_options={"allow_http": True, "timeout": "5s"},
            retry_config={"max_retries": 0},
            virtual_hosted_style_request=False,
            **KEYS,
        )

    def environment(self) -> dict[str, str]:
        """What a process has to know to open `s3://` addresses there."""
        return {
            "AWS_ENDPOINT": self.address,
            "AWS_ACCESS_KEY_ID": "any",
            "AWS_SECRET_ACCESS_KEY": "any",
            "AWS_REGION": "us-east-1",
            "AWS_VIRTUAL_HOSTED_STYLE_REQUEST": "false",
        }


def free_ports(count: int) -> list[int]:
    """So many ports that nobody listens on; those 10,000 above are for SeaweedFS's own calls."""
    held = []
    while len(held) < count:
        one = socket.socket()
        one.bind(("127.0.0.1", 0))
        if one.getsockname()[1] < 50_000:
            held.append(one)
        else:
            one.close()
    ports = [one.getsockname()[1] for one in held]
    for one in held:
        one.close()
    return ports


def weed() -> str | None:
    """The program of SeaweedFS, where it is installed."""
    beside = Path(sys.executable).with_name("weed")
    return str(beside) if beside.exists() else shutil.which("weed")


@contextmanager
def seaweed(folder: Path, volumes: int = 2) -> Iterator[S3Server]:
    """SeaweedFS in processes of its own: a master, volume servers that hold each file twice, a
    filer with S3."""
    program = weed()
    assert program is not None
    master, filer, s3, *stores = ports(volumes)
    at = f"127.0.0.1:{master}"
    commands: dict[str, Sequence[str]] = {
        "master": ("master", f"-port={master}", f"-port.grpc={master + 10_000}", "-mdir=.",
                   "-volumeSizeLimitMB=64", "-defaultReplication=001"),
    }  # fmt: skip
    for number, port in enumerate(stores):
        commands[f"volume{number}"] = (
            "volume", f"-port={port}", f"-port.grpc={port + 10_000}", "-dir=.", "-max=30",
            f"-master={at}",
        )  # fmt: skip
    commands["filer"] = (
        "filer", f"-port={filer}", f"-port.grpc={filer + 10_000}", f"-master={at}", "-s3",
        f"-s3.port={s3}", f"-s3.port.grpc={s3 + 10_000}", "-s3.port.iceberg=0",
        "-s3.port.lance=0", "-defaultReplicaPlacement=001",
    )  # fmt: skip
    server = S3Server(f"http://127.0.0.1:{s3}", {})
    try:
        for name, command in commands.items():
            server.processes[name] = start(program, command, folder / name)
        made(server)
        yield server
    finally:
        stop(server.processes.values())


def start(program: str, command: Sequence[str], folder: Path) -> subprocess.Popen[bytes]:
    """One process of SeaweedFS, in a folder of its own."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "output").open("ab") as output:
        return subprocess.Popen(
            [program, command[0], "-ip=127.0.0.1", *command[1:]],
            cwd=folder, stdout=output, stderr=output,
        )  # fmt: skip


def ports(volumes: int) -> list[int]:
    """Ports of a master, a filer, S3 and volume servers, with the ones 10,000 above them."""
    return free_ports(3 + volumes)


@contextmanager
def moto() -> Iterator[S3Server]:
    """moto's S3, in this process, which has it once: its buckets are those of the process."""
    from moto.server import ThreadedMotoServer

    if _running:
        yield _running[0]
        return
    (port,) = free_ports(1)
    running = ThreadedMotoServer("127.0.0.1", port, verbose=False)
    running.start()
    server = S3Server(f"http://127.0.0.1:{port}", {})
    try:
        made(server)
        _running.append(server)
        yield server
    finally:
        _running.clear()
        running.stop()


def made(server: S3Server) -> None:
    """Make the bucket, and put something into it, as soon as the server takes it."""
    until = time.monotonic() + READY
    while True:
        try:
            # moto, begun again in a process, has the objects, and lets nobody replace one so.
            for path in (BUCKET, f"{BUCKET}/ready-{uuid4().hex}"):
                request = Request(f"{server.address}/{path}", data=b"x", method="PUT")
                try:
                    urlopen(request, timeout=5).close()
                except HTTPError as error:
                    if error.code != CONFLICT:  # it was made at a try before
                        raise
            return
        except (HTTPError, URLError, OSError):
            if time.monotonic() > until:
                raise
            time.sleep(0.2)


def stop(processes: Sequence[subprocess.Popen[bytes]] | Any) -> None:
    """Kill processes, and wait until they are gone."""
    for one in processes:
        one.kill()
    for one in processes:
        one.wait()
