"""The admin, for those who run the platform: like everybody they see their own organisations only."""

from typing import Any

from django.contrib import admin
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.models import Group, User
from django.db.models import Model, Q, QuerySet
from django.http import HttpRequest

from twin.fleet import services
from twin.fleet.models import Device, DeviceToken, Machine, Membership, Organisation, Role
from twin.fleet.scope import TenantModel


class ScopedAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    """Rows and choices through for_user."""

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return self.model.objects.for_user(request.user)  # type: ignore[no-any-return]

    def get_field_queryset(self, db: str | None, db_field: Any, request: HttpRequest) -> QuerySet[Any] | None:
        related: type[Model] = db_field.remote_field.model
        if issubclass(related, TenantModel):
            return related.objects.for_user(request.user)
        if related is User:
            return visible_users(request)
        return super().get_field_queryset(db, db_field, request)


def visible_users(request: HttpRequest) -> QuerySet[User]:
    """Colleagues, and accounts that belong nowhere yet."""
    mine = Organisation.objects.for_user(request.user)
    return User.objects.filter(Q(memberships__organisation__in=mine) | Q(memberships=None)).distinct()


@admin.register(Organisation)
class OrganisationAdmin(ScopedAdmin):
    search_fields = ("name",)

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        super().save_model(request, obj, form, change)
        if not change and isinstance(request.user, User):  # whoever makes an organisation can see it
            services.add_member(obj, request.user, Role.ADMINISTRATOR)


@admin.register(Membership)
class MembershipAdmin(ScopedAdmin):
    list_display = ("user", "organisation", "role")


@admin.register(Machine)
class MachineAdmin(ScopedAdmin):
    list_display = ("name", "organisation", "model", "created")
    search_fields = ("name",)


@admin.register(Device)
class DeviceAdmin(ScopedAdmin):
    list_display = ("name", "machine")
    search_fields = ("name",)


@admin.register(DeviceToken)
class DeviceTokenAdmin(ScopedAdmin):
    """Tokens are issued by `manage.py issue_token`, which shows them once; here they can be revoked."""

    list_display = ("prefix", "device", "created", "revoked_at")
    readonly_fields = ("device", "prefix", "created", "revoked_at")
    actions = ("revoke",)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    @admin.action(description="Revoke the selected tokens", permissions=["change"])
    def revoke(self, request: HttpRequest, queryset: QuerySet[DeviceToken]) -> None:
        for token in queryset:
            services.revoke_token(token)


class ScopedUserAdmin(UserAdmin):  # type: ignore[type-arg]
    """Accounts of colleagues, and of those who belong nowhere yet."""

    def get_queryset(self, request: HttpRequest) -> QuerySet[User]:
        return visible_users(request)


admin.site.unregister(User)
admin.site.unregister(Group)
admin.site.register(User, ScopedUserAdmin)
