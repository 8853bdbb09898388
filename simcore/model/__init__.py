"""Descriptions of machines. Imports neither numba nor scipy, so any process can read a description."""

from simcore.model.channels import Channel, channel_table
from simcore.model.checks import check
from simcore.model.elements import Machine
from simcore.model.scene import scene

__all__ = ["Channel", "Machine", "channel_table", "check", "scene"]
