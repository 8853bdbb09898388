"""What may end somebody's access: a membership that goes or changes, an account that is closed."""

from collections.abc import Collection
from functools import partial
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models.signals import post_delete, post_save
from django.dispatch import receiver

from twin.fleet.models import Membership
from webui.live.access import tell_access_changed


@receiver([post_save, post_delete], sender=Membership)
def membership_changed(instance: Membership, created: bool = False, **_: Any) -> None:
    if not created:
        transaction.on_commit(partial(tell_access_changed, instance.user_id))


@receiver(post_save, sender=User)
def account_changed(
    instance: User, created: bool, update_fields: Collection[str] | None = None, **_: Any
) -> None:
    signing_in = update_fields is not None and set(update_fields) == {"last_login"}
    if not created and not signing_in:
        transaction.on_commit(partial(tell_access_changed, instance.pk))
