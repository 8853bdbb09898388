"""Finds the device and the machine to which a device token or an MQTT topic belongs."""

from dataclasses import dataclass
from uuid import UUID

from simcore.model import Channel
from twin.fleet import tokens
from twin.fleet.models import DeviceToken, Machine

TELEMETRY_ROLES = ("sensor", "input")


@dataclass(frozen=True)
class Identity:
    """An authenticated device, with the telemetry channels of its machine."""

    device: str
    machine: str
    channels: dict[str, Channel]


def identify(token: str) -> Identity | None:
    """Return the device to which a token belongs; None if the token is unknown, wrong or revoked."""
    prefix = tokens.prefix_of(token)
    if prefix is None:
        return None
    found = DeviceToken.objects.for_runtime().select_related("device__machine")
    row = found.filter(prefix=prefix, revoked_at=None).first()
    if row is None or not tokens.matches(token, row.digest):
        return None
    return Identity(str(row.device_id), str(row.device.machine_id), telemetry_channels(row.device.machine))


def identify_topic(machine: UUID, device: UUID | None) -> Identity | None:
    """Return the device that may write to an MQTT topic; None if no valid token allows it.

    A topic without a device id belongs to the machine's first device: the broker lets no other device write
    to it.
    """
    rows = DeviceToken.objects.for_runtime().select_related("device__machine")
    rows = rows.filter(device__machine=machine).exclude(verifier="").order_by("pk")
    if device is None:
        first = rows.first()
        device = first.device_id if first else None
    row = rows.filter(device=device, revoked_at=None).first()
    if row is None:
        return None
    return Identity(str(row.device_id), str(machine), telemetry_channels(row.device.machine))


def telemetry_channels(machine: Machine) -> dict[str, Channel]:
    """Return the channels that a device may send, by name: sensors and inputs, not the twin's estimates."""
    return {channel.name: channel for channel in machine.channels() if channel.role in TELEMETRY_ROLES}
