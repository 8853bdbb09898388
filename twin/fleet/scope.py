"""Scoped queries: every query for tenant data must state for whom it reads, a person or the platform itself.

    Machine.objects.for_user(user)                       rows that this person may see
    Machine.objects.for_user(user, Permission.SHARE)     rows for which they have this permission
    Machine.objects.for_runtime()                        all rows, for runners, ingest and jobs

A query without a scope raises UnscopedQuery, so that a forgotten filter is an error and not a leak.
Administrators of the platform are no exception: they need a membership too.
"""

from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, ClassVar, Self, TypeVar

from django.apps import apps
from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.db import models
from django.db.models import Q

from twin.fleet.permissions import SHARED, Permission, allows, roles_with

_Row = TypeVar("_Row", bound=models.Model, covariant=True)
_uniqueness_check: ContextVar[bool] = ContextVar("uniqueness_check", default=False)


class UnscopedQuery(RuntimeError):
    """Raised when rows are read without a scope."""


class ScopedQuerySet(models.QuerySet[_Row]):
    """A query set that refuses to touch rows before it has been scoped."""

    _scoped = False

    def for_user(self, user: AbstractBaseUser | AnonymousUser, permission: Permission | None = None) -> Self:
        """Rows for which this person's role has the permission (default: the model's `needs`).

        Returns no rows for a person who is not signed in. A person who uses an API token is limited to the
        token's organisation and role (`twin.accounts.api_tokens`).
        """
        rows = self._as_scoped()
        if not user.is_authenticated or not user.is_active:
            return rows.none()
        model: type[TenantModel] = self.model  # type: ignore[assignment]
        asked = permission or model.needs
        mine = _organisations(user, asked)
        condition = Q(**{f"{model.organisation_path}__in": mine})
        if model.machine_path and asked in SHARED:
            grants = apps.get_model("fleet", "Grant").objects.for_runtime()
            shared = grants.filter(organisation__in=mine).values("machine")
            condition |= Q(**{f"{model.machine_path}__in": shared})
        return rows.filter(condition)

    def for_runtime(self) -> Self:
        """Return all rows, for processes that serve every organisation and show nothing to a person."""
        return self._as_scoped()

    def _as_scoped(self) -> Self:
        copy = self._chain()  # type: ignore[attr-defined]
        copy._scoped = True
        return copy  # type: ignore[no-any-return]

    def _clone(self) -> Self:
        copy = super()._clone()  # type: ignore[misc]
        copy._scoped = self._scoped
        return copy  # type: ignore[no-any-return]


def _organisations(user: AbstractBaseUser, permission: Permission) -> models.QuerySet[Any]:
    """Return a subquery of the organisations in which this person's role has the permission."""
    memberships = apps.get_model("fleet", "Membership").objects.for_runtime()
    rows = memberships.filter(user=user.pk, role__in=roles_with(permission))
    token = getattr(user, "api_token", None)
    if token is not None:
        rows = (
            rows.filter(organisation=token.organisation_id) if allows(token.role, permission) else rows.none()
        )
    return rows.values("organisation")


def _guarded(name: str) -> Callable[..., Any]:
    unguarded: Callable[..., Any] = getattr(models.QuerySet, name)

    def method(self: ScopedQuerySet[Any], *args: Any, **kwargs: Any) -> Any:
        if not self._scoped and not _uniqueness_check.get():
            raise UnscopedQuery(
                f"{self.model.__name__}.objects was read without a scope: use for_user(user) or for_runtime()"
            )
        return unguarded(self, *args, **kwargs)

    return method


# all methods of a query set that reach the database; the others (get, first, in_bulk, ...) use these
for _name in ("_fetch_all", "_iterator", "aiterator", "count", "exists", "aggregate"):
    setattr(ScopedQuerySet, _name, _guarded(_name))
for _name in ("update", "delete", "_raw_delete", "explain", "raw"):
    setattr(ScopedQuerySet, _name, _guarded(_name))


ScopedManager = models.Manager.from_queryset(ScopedQuerySet)


class TenantModel(models.Model):
    """A row that belongs to an organisation.

    `organisation_path` is the lookup path to the row's organisation, and `machine_path` the path to the
    machine with which the row is shared (empty: only the owner sees the row). `needs` is the permission
    needed to see the row.
    """

    organisation_path: ClassVar[str] = "organisation"
    machine_path: ClassVar[str] = ""
    needs: ClassVar[Permission] = Permission.WATCH

    objects = ScopedManager()

    class Meta:
        abstract = True

    def validate_unique(self, exclude: Collection[str] | None = None) -> None:
        with _asking_whether_taken():
            super().validate_unique(exclude)

    def validate_constraints(self, exclude: Collection[str] | None = None) -> None:
        with _asking_whether_taken():
            super().validate_constraints(exclude)


@contextmanager
def _asking_whether_taken() -> Iterator[None]:
    """Uniqueness checks read all rows; they reveal only that a value is taken, not by whom."""
    token = _uniqueness_check.set(True)
    try:
        yield
    finally:
        _uniqueness_check.reset(token)
