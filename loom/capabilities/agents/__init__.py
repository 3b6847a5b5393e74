"""Agents that work in one workspace, and what they tell each other.

    spawn_order, place, child_budget → Agents.spawn, child → result → Agents.wait, join
    emit → EventBus (numbered objects in a shared Store) → since, subscribe, pump

`EventBus` is the one way agents speak: parents and children, threads, processes and machines."""
