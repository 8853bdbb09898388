"""Changes preferences and saved views; validates all input."""

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser, User
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

from twin.preferences.models import Preference, SavedView

MOST_VIEWS = 50  # of one person

Person = AbstractBaseUser | AnonymousUser


def preference_of(user: Person) -> Preference:
    """Return the person's preferences; if there is no row, return the defaults without storing them."""
    return Preference.objects.for_user(user).first() or Preference()


def choose_units(user: User, units: str) -> None:
    Preference(units=units).clean_fields(exclude=["user"])
    Preference.objects.for_user(user).update_or_create(user=user, defaults={"units": units})


def choose_language(user: User, language: str) -> None:
    Preference(language=language).clean_fields(exclude=["user"])
    Preference.objects.for_user(user).update_or_create(user=user, defaults={"language": language})


def note_tour(user: User) -> None:
    """Mark the tour as seen: it is not offered again, but the person can start it at any time."""
    Preference.objects.for_user(user).update_or_create(user=user, defaults={"tour_seen": True})


def keep_view(user: User, name: str, query: str) -> SavedView:
    """Save a view; it replaces an existing view of the same name."""
    mine = SavedView.objects.for_user(user)
    view = mine.filter(name=name).first() or SavedView(user=user, name=name)
    if view.pk is None and mine.count() >= MOST_VIEWS:
        raise ValidationError(
            {
                "name": _("You already have %(most)d views, the largest number allowed. Delete one first.")
                % {"most": MOST_VIEWS}
            }
        )
    view.query = query
    view.full_clean()
    view.save()
    return view
