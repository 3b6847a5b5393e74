"""Agents that work in one workspace, and what they tell each other.

    spawn_order, place, budget → Agents.spawn, child → result → Agents.wait, join
    emit → EventBus (numbered objects in a shared Store) → since, subscribe, pump

`EventBus` is the one way agents speak: parents and children, threads, processes and machines.
"""

from loom.capabilities.agents.bus import DeliveryFault, EventBus, Subscription
from loom.capabilities.agents.capability import Agents
from loom.capabilities.agents.event import TOPICS, BusEvent
from loom.capabilities.agents.spawn_order import Opening

__all__ = [
    "TOPICS",
    "Agents",
    "BusEvent",
    "DeliveryFault",
    "EventBus",
    "Opening",
    "Subscription",
]
