"""A store behind a network that loses and doubles: nothing is lost, nothing happens twice."""

from uuid import uuid4

import pytest

from loom_paging import StoreUnreachable
from loom_paging.remote import bucket as buckets
from loom_paging.remote.bucket import Bucket
from loom_paging.remote.remote_store import RemoteStore
from tests.kit.faulty_network import ANSWER_LOST, LOST, faulty
from tests.kit.object_stores import S3Server

LOG = "journal/000001.jsonl"


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tries follow one another soon."""
    monkeypatch.setattr(buckets, "FIRST", 0.001)


@pytest.fixture(params=["moto", "seaweed"])
def server(request: pytest.FixtureRequest) -> S3Server:
    """A real server of S3."""
    found: S3Server = request.getfixturevalue(request.param)
    return found


def test_a_lost_answer_is_recognised(server: S3Server) -> None:
    """A put whose answers are all lost is done; the next flush finds its own bytes there."""
    prefix = uuid4().hex
    with faulty(server.address, 1, 0.0, (ANSWER_LOST,)) as network:
        store = RemoteStore(Bucket(server.client(prefix, network.address), "here"), write=True)
        store.append(LOG, b"one\n")
        network.share = 1.0
        with pytest.raises(StoreUnreachable):
            store.flush()
        network.share = 0.0
        store.append(LOG, b"two\n")
        store.flush()
        store.close()
    reader = RemoteStore(Bucket(server.client(prefix), "here"), write=False)
    assert reader.get(LOG) == b"one\ntwo\n"


def test_a_cut_network_stops_the_writer(server: S3Server) -> None:
    """Nothing is acknowledged while it is cut; after it goes on nothing is missing or twice."""
    prefix = uuid4().hex
    with faulty(server.address, 2, 0.0, (LOST,)) as network:
        store = RemoteStore(Bucket(server.client(prefix, network.address), "here"), write=True)
        network.cut = True
        for number in range(3):
            store.append(LOG, b"%d\n" % number)
            with pytest.raises(StoreUnreachable, match="cannot put log/"):
                store.flush()
        network.cut = False
        store.flush()
        store.close()
    reader = RemoteStore(Bucket(server.client(prefix), "here"), write=False)
    assert reader.get(LOG) == b"0\n1\n2\n"
