"""Shows the history in the admin, read-only; only the history writer writes it."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest

from twin.fleet.admin import ScopedAdmin
from twin.fleet.permissions import Permission
from twin.history.models import Segment


@admin.register(Segment)
class SegmentAdmin(ScopedAdmin):
    permission = Permission.HISTORY
    list_display = ("machine", "first_us", "last_us", "count")
    show_full_result_count = False  # counting millions of rows takes long

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False
