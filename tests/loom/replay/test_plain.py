"""A recorded session as messages, and its model."""

from loom.inputs import Reply, Session, Speech
from loom.replay.plain import model_of


def test_the_model_is_the_one_most_replies_name() -> None:
    """What a client wrote in its place is none; what the recording says counts first."""
    names = ["a", "b", "b", "", "<synthetic>", "<synthetic>", "<synthetic>"]
    events = tuple(Reply((Speech("x"),), model=name) for name in names)
    assert model_of(Session("s", events)) == "b"
    assert model_of(Session("s", events, model="c")) == "c"
    assert model_of(Session("s", events[3:])) == ""
