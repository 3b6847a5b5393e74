"""Secrets as a working engineer meets them, made without knowledge of any rule that finds them.

A second generator beside the one that grew with the rules: what a rule misses here, it was fitted
to miss. `KINDS` has a maker for each kind; each kind has several shapes, and the seed says which.
"""

from __future__ import annotations

from tests.kit.secrets.planted import Maker
from tests.kit.secrets.second import (
    armour,
    clients,
    code,
    commands,
    connections,
    deployments,
    dotfiles,
    logs,
    prose,
    registries,
    services,
    settings,
    vendors,
    wallets,
    web,
)

ROOMS = (
    vendors, services, settings, deployments, dotfiles, registries, commands, clients, connections,
    web, armour, wallets, prose, code, logs,
)  # fmt: skip
KINDS: dict[str, Maker] = {kind: maker for room in ROOMS for kind, maker in room.KINDS.items()}
