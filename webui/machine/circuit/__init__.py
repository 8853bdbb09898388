"""Draws the hydraulic circuit of a machine from its netlist, with the symbols of ISO 1219."""

from webui.machine.circuit.drawing import draw

__all__ = ["draw"]
