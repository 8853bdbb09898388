"""Database models of personal preferences, which belong to a person and not to an organisation."""

from typing import Any, ClassVar, Self

from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.db import models
from django.utils.translation import gettext_lazy as _

from twin.fleet.scope import ScopedQuerySet, TenantModel


class OwnQuerySet(ScopedQuerySet[Any]):
    """Query sets limited to the rows of one person, independent of organisations."""

    def for_user(self, user: AbstractBaseUser | AnonymousUser, *_: object) -> Self:
        own = self._as_scoped()
        return own.filter(user=user) if user.is_authenticated and user.is_active else own.none()


class PersonalModel(TenantModel):
    """A row that belongs to a person."""

    objects: ClassVar[Any] = models.Manager.from_queryset(OwnQuerySet)()

    class Meta:
        abstract = True


class Units(models.TextChoices):
    METRIC = "metric", _("Metric")
    US = "us", _("US")


class Language(models.TextChoices):
    """Languages, each with its name in that language."""

    ENGLISH = "en", "English"
    FINNISH = "fi", "Suomi"


class Preference(PersonalModel):
    """The preferences of a person; a person without a row has the defaults."""

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, primary_key=True, related_name="+"
    )
    units = models.CharField(max_length=10, choices=Units.choices, default=Units.METRIC)
    language = models.CharField(  # blank: the browser's language
        max_length=10, choices=Language.choices, blank=True, default=""
    )
    tour_seen = models.BooleanField(default=False)

    def __str__(self) -> str:
        return f"{self.user}: {self.units}"


class SavedView(PersonalModel):
    """A saved view of the fleet page: filters, search, order and layout."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    name = models.CharField(max_length=60)
    query = models.CharField(max_length=500, blank=True)  # query string of the fleet page

    class Meta:
        ordering = ("name",)
        constraints = (
            models.UniqueConstraint(
                fields=("user", "name"),
                name="one_view_of_a_name",
                violation_error_message=_("You already have a view with this name."),
            ),
        )

    def __str__(self) -> str:
        return self.name
