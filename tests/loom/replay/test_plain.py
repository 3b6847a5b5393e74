"""A recorded session without Loom."""

import pytest

from loom.bench.sessions.generate import session as made
from loom.inputs import Reply, Session, Speech, User
from loom.providers.counts import counter_for
from loom.providers.render.message import Message
from loom.replay.cost import Bill, Billing, Meter
from loom.replay.plain import message_of, model_of, plain_run


def requests(session: Session) -> list[list[Message]]:
    """Every request of a client that sends its whole list, made one by one."""
    found: list[list[Message]] = []
    held: list[Message] = []
    names: dict[str, str] = {}
    for event in session.events:
        if isinstance(event, Reply):
            found.append(list(held))
            names = {call.id: call.name for call in event.calls}
        held.append(message_of(event, names))
    return found


@pytest.mark.parametrize("flavour", ["coding", "support"])
def test_a_plain_run_is_the_bill_of_every_whole_list(flavour: str) -> None:
    """Each list is sent and compared with the one before; the shortcut gives the same."""
    session, meter = made(3, 25, flavour=flavour), Meter(counter_for())
    billing = Billing(meter)
    for request in requests(session):
        billing.take(request)
    run = plain_run(session, meter, 10**9)
    assert (run.bill, run.lawful, run.overflow) == (billing.bill, billing.bill, 0)


def test_the_line_is_lawful_to_the_request_that_no_longer_fits() -> None:
    """The first that is larger than the room is the overflow; what was sent before it counts."""
    session, meter = made(3, 25), Meter(counter_for())
    sizes = [meter.messages(request) for request in requests(session)]
    exact = plain_run(session, meter, sizes[9])
    assert exact.overflow == next(at for at, size in enumerate(sizes, 1) if size > sizes[9])
    assert exact.lawful.sent == sum(sizes[: exact.overflow - 1])
    assert exact.bill.sent == sum(sizes) and exact.bill.peak == max(sizes)
    assert plain_run(session, meter, 0).lawful == Bill(calls=0)


def test_nothing_is_sent_without_a_reply() -> None:
    """A session in which no model spoke costs nothing."""
    session = Session("none", (User("hi"),))
    assert plain_run(session, Meter(counter_for()), 100).bill == Bill()


def test_the_model_is_the_one_most_replies_name() -> None:
    """What a client wrote in its place is none; what the recording says counts first."""
    names = ["a", "b", "b", "", "<synthetic>", "<synthetic>", "<synthetic>"]
    events = tuple(Reply((Speech("x"),), model=name) for name in names)
    assert model_of(Session("s", events)) == "b"
    assert model_of(Session("s", events, model="c")) == "c"
    assert model_of(Session("s", events[3:])) == ""
