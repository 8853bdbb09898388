"""The admin site for operators of the platform, who see only their own organisations."""

from typing import Any, ClassVar

from django.contrib import admin
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.models import Group, User
from django.db.models import Model, Q, QuerySet
from django.http import HttpRequest

from twin.audit.log import Author, record
from twin.audit.models import Action
from twin.fleet import services
from twin.fleet.models import Device, DeviceToken, Machine, Membership, Organisation
from twin.fleet.permissions import Permission, Role
from twin.fleet.scope import TenantModel


class ScopedAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    """Shows only what for_user and the person's role allow; records changes in the audit log."""

    permission: ClassVar[Permission] = Permission.CONNECT

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return self.model.objects.for_user(request.user, self.permission)  # type: ignore[no-any-return]

    def log_addition(self, request: HttpRequest, obj: Any, message: Any) -> Any:
        _record(request, obj, Action.ADMIN_ADDED)
        return super().log_addition(request, obj, message)

    def log_change(self, request: HttpRequest, obj: Any, message: Any) -> Any:
        _record(request, obj, Action.ADMIN_CHANGED)
        return super().log_change(request, obj, message)

    def log_deletions(self, request: HttpRequest, queryset: QuerySet[Any]) -> Any:
        for row in queryset:
            _record(request, row, Action.ADMIN_REMOVED)
        return super().log_deletions(request, queryset)

    def get_field_queryset(self, db: str | None, db_field: Any, request: HttpRequest) -> QuerySet[Any] | None:
        related: type[Model] = db_field.remote_field.model
        if issubclass(related, TenantModel):
            return related.objects.for_user(request.user, self.permission)
        if related is User:
            return visible_users(request)
        return super().get_field_queryset(db, db_field, request)


def _record(request: HttpRequest, row: Any, action: Action) -> None:
    """Record the action in the audit log of the row's organisation."""
    organisation = row
    for step in row.organisation_path.replace("pk", "").split("__"):
        organisation = getattr(organisation, step) if step else organisation
    record(author_of_request(request), organisation, action, f"{row._meta.verbose_name} {row}")


def author_of_request(request: HttpRequest) -> Author:
    return Author(request.user, str(request.META.get("REMOTE_ADDR", "")))


def visible_users(request: HttpRequest) -> QuerySet[User]:
    """Return the members of the person's own organisations, and accounts without an organisation."""
    mine = Organisation.objects.for_user(request.user)
    return User.objects.filter(Q(memberships__organisation__in=mine) | Q(memberships=None)).distinct()


@admin.register(Organisation)
class OrganisationAdmin(ScopedAdmin):
    permission = Permission.MEMBERS
    search_fields = ("name",)

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        super().save_model(request, obj, form, change)
        if not change and isinstance(request.user, User):  # the creator becomes a member and sees it
            services.add_member(obj, request.user, Role.ADMINISTRATOR)


@admin.register(Membership)
class MembershipAdmin(ScopedAdmin):
    permission = Permission.MEMBERS
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
    """Tokens can be revoked here; `manage.py issue_token` issues them."""

    list_display = ("prefix", "device", "created", "revoked_at")
    readonly_fields = ("device", "prefix", "created", "revoked_at")
    actions = ("revoke",)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    @admin.action(description="Revoke the selected tokens", permissions=["change"])
    def revoke(self, request: HttpRequest, queryset: QuerySet[DeviceToken]) -> None:
        for token in queryset:
            services.revoke_token(token, author_of_request(request))


class ScopedUserAdmin(UserAdmin):  # type: ignore[type-arg]
    """Shows accounts of colleagues, and accounts without an organisation."""

    def get_queryset(self, request: HttpRequest) -> QuerySet[User]:
        return visible_users(request)


admin.site.unregister(User)
admin.site.unregister(Group)
admin.site.register(User, ScopedUserAdmin)
