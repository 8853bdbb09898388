"""A run as a table and as a figure."""

import numpy as np
from oil_rigs import flywheel_rig, rig
from spatial_machines import any_tree

from simcore import Simulation, registry
from simcore.model.elements import Machine, Prismatic, Spherical
from simcore.run.report import panels


def _titles(machine: Machine) -> list[str]:
    return [panel.title for panel in panels(Simulation(machine, dt=1e-3).run(0.05))]


def test_a_frame_has_time_as_index_and_a_unit_for_every_column() -> None:
    done = Simulation(registry.get("four-bar-b").build()).run(0.1, {"valve.command": 2.0}, sample_dt=0.01)
    frame = done.to_frame()
    assert frame.index.name == "t"
    assert list(frame.columns) == [channel.name for channel in done.channels]
    assert np.array_equal(frame["cylinder.p_A"].to_numpy(), done["cylinder.p_A"])
    assert frame.loc[0.05, "valve.command"] == 2.0
    assert frame.attrs["units"] == {"t": "s"} | {channel.name: channel.unit for channel in done.channels}


def test_a_figure_shares_time_and_names_unit_and_quantity_of_every_axis() -> None:
    done = Simulation(registry.get("rahikainen-a").build()).run(0.2, {"valve.command": 5.0})
    drawn = done.plot()
    axes = [axis.title.text for axis in drawn.select_yaxes()]
    assert axes == ["angle, deg", "pressure, MPa", "force, kN", "signal, V", "energy, J", "drift, J"]
    assert [axis.title.text for axis in drawn.select_xaxes()][-1] == "time, s"
    assert len({axis.matches or "x6" for axis in drawn.select_xaxes()}) == 1
    curves = {trace.name: trace for trace in drawn.data}
    assert np.allclose(curves["Piston chamber"].y, done["cylinder.p_A"] * 1e-6, rtol=1e-6)
    assert np.allclose(curves["arm"].y, np.degrees(done["arm.angle"]), rtol=1e-6)


def test_chambers_have_the_same_colour_in_every_machine_and_what_is_given_is_solid() -> None:
    for machine in (registry.get("rahikainen-a").build(), rig()):
        curves = {trace.name: trace for trace in Simulation(machine).run(0.02).plot().data}
        chamber_a, chamber_b = machine.cylinders[0].chamber_a, machine.cylinders[0].chamber_b
        labels = {volume.name: volume.label for volume in machine.volumes}
        assert curves[labels[chamber_a]].line.color == "#0069b4"
        assert curves[labels[chamber_b]].line.color == "#ad4a86"
        assert curves["valve command"].line.dash == "solid"
        assert curves["valve spool"].line.dash != "solid"


def test_panels_are_those_that_the_machine_has() -> None:
    assert "Pump displacements" in _titles(rig())
    assert _titles(flywheel_rig()) == ["Joint angles", "Pressures", "Energy", "Energy drift"]
    assert _titles(any_tree(1, 1, (Prismatic,))) == ["Displacements", "Energy", "Energy drift"]


def test_a_ball_is_drawn_by_its_rotation_vector() -> None:
    machine = any_tree(1, 4, (Spherical,))
    sim = Simulation(machine, dt=1e-3)
    done = sim.run(0.1)
    assert np.allclose(done.coordinates[-1], sim.coordinates(), atol=1e-12)
    assert np.ptp(done.coordinates[:, 0]) > 0
