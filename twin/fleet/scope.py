"""The one query entry of tenant data: every read says on whose behalf it happens.

    Machine.objects.for_user(user)      what this person's memberships allow
    Machine.objects.for_runtime()       the platform's own processes: runner, supervisor, ingest

A query that says neither raises UnscopedQuery when it reaches for rows, so a forgotten filter is an error
and not a leak. Nobody is above it: an administrator of the platform needs a membership like everybody else.
"""

from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, ClassVar, Self, TypeVar

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.db import models

_Row = TypeVar("_Row", bound=models.Model, covariant=True)
_uniqueness_check: ContextVar[bool] = ContextVar("uniqueness_check", default=False)


class UnscopedQuery(RuntimeError):
    """Rows were asked for without saying for whom."""


class ScopedQuerySet(models.QuerySet[_Row]):
    """A query set that refuses to touch rows before it has been scoped."""

    _scoped = False

    def for_user(self, user: AbstractBaseUser | AnonymousUser) -> Self:
        """Rows of the organisations this person is a member of; none for somebody not signed in."""
        if not user.is_authenticated or not user.is_active:
            return self._as_scoped().none()
        return self._as_scoped().filter(**{self.model.member_path: user})  # type: ignore[attr-defined]

    def for_runtime(self) -> Self:
        """All rows, for processes that serve every organisation and show nothing to anybody."""
        return self._as_scoped()

    def _as_scoped(self) -> Self:
        copy = self._chain()  # type: ignore[attr-defined]
        copy._scoped = True
        return copy  # type: ignore[no-any-return]

    def _clone(self) -> Self:
        copy = super()._clone()  # type: ignore[misc]
        copy._scoped = self._scoped
        return copy  # type: ignore[no-any-return]


def _guarded(name: str) -> Callable[..., Any]:
    unguarded: Callable[..., Any] = getattr(models.QuerySet, name)

    def method(self: ScopedQuerySet[Any], *args: Any, **kwargs: Any) -> Any:
        if not self._scoped and not _uniqueness_check.get():
            raise UnscopedQuery(
                f"{self.model.__name__}.objects was read without a scope: use for_user(user) or for_runtime()"
            )
        return unguarded(self, *args, **kwargs)

    return method


# everything by which a query set reaches the database; the rest (get, first, in_bulk, ...) goes through these
for _name in ("_fetch_all", "_iterator", "aiterator", "count", "exists", "aggregate"):
    setattr(ScopedQuerySet, _name, _guarded(_name))
for _name in ("update", "delete", "_raw_delete", "explain", "raw"):
    setattr(ScopedQuerySet, _name, _guarded(_name))


ScopedManager = models.Manager.from_queryset(ScopedQuerySet)


class TenantModel(models.Model):
    """A row that belongs to an organisation; `member_path` leads from it to the members' accounts."""

    member_path: ClassVar[str]

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
    """Uniqueness has to look at all rows; it learns that a value is taken, not whose it is."""
    token = _uniqueness_check.set(True)
    try:
        yield
    finally:
        _uniqueness_check.reset(token)
