"""What the runtime knows of the fleet."""

from uuid import UUID, uuid4

import pytest

from simcore.errors import BadParameter
from twin.runtime.sharding import shard_of
from twin.runtime.specs import MachineSpec, all_machines, build_twin


@pytest.mark.database
def test_the_runtime_sees_the_machines_of_every_organisation(story):
    story.machine.parameters = {"crank_mass": 17.0}
    story.machine.save()
    ours = MachineSpec(story.machine.id, "four-bar-b", {"crank_mass": 17.0})
    theirs = MachineSpec(story.strange_machine.id, "four-bar-b", {})
    assert sorted(all_machines(), key=lambda spec: spec.id) == sorted(
        [ours, theirs], key=lambda spec: spec.id
    )


def test_a_wrong_parameter_is_named():
    with pytest.raises(BadParameter, match="crank_mass"):
        build_twin(MachineSpec(uuid4(), "four-bar-b", {"crank_mass": -1.0}))


def test_a_machine_keeps_its_shard_in_every_process():
    assert shard_of(UUID("12345678-1234-5678-1234-567812345678"), 32) == 0x78 % 32


def test_machines_spread_evenly_over_the_shards():
    counts = [0] * 32
    for _ in range(3200):
        counts[shard_of(uuid4(), 32)] += 1
    assert min(counts) > 50
    assert max(counts) < 160
