"""What a unit is worth: by kind, by use, by age, less when superseded."""

from msgspec.structs import replace

import loom
from loom.compress.worth.fitted import constants_for_policy, constants_in_force


def test_a_policy_sets_its_own_constants() -> None:
    """λ of the way it ages and K of a kind are the policy's; all else stays as it was fitted."""
    assert constants_for_policy(loom.Policy()) == constants_in_force()
    assert constants_for_policy(loom.Policy(decay=2.0)) == replace(constants_in_force(), decay=2.0)
    steps = loom.Policy(decay=2.0, ageing="steps", kind_weights={"read": 3.0})
    assert constants_for_policy(steps) == replace(
        constants_in_force(), step_decay=2.0, kinds={**constants_in_force().kinds, "read": 3.0}
    )
