"""Announces changes of machines, devices and tokens to the processes that cache them."""

from typing import Any

from django.db.models.signals import post_delete, post_save
from django.dispatch import receiver

from twin.control import events
from twin.fleet.models import Device, DeviceToken, Machine


@receiver([post_save, post_delete], sender=Machine)
def machine_changed(instance: Machine, created: bool = False, **_: Any) -> None:
    if not created:
        events.announce("machines", instance.pk)


@receiver([post_save, post_delete], sender=Device)
def device_changed(instance: Device, created: bool = False, **_: Any) -> None:
    if not created:
        events.announce("machines", instance.machine_id)


@receiver([post_save, post_delete], sender=DeviceToken)
def token_changed(instance: DeviceToken, **_: Any) -> None:
    events.announce("tokens", instance.device_id)  # new ones too: the MQTT broker needs their account
