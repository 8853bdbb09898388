"""The forms of a person's account."""

from datetime import timedelta
from typing import Any, cast

from django import forms
from django.contrib.auth.forms import BaseUserCreationForm
from django.contrib.auth.models import User
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from twin.accounts.api_tokens import roles_below
from twin.fleet.models import Membership, Organisation
from twin.fleet.permissions import TABLE, Permission


class EmailForm(forms.ModelForm):  # type: ignore[type-arg]  # not subscriptable at run time
    class Meta:
        model = User
        fields = ("email",)
        labels = {"email": _("E-mail address")}  # noqa: RUF012
        help_texts = {"email": _("If you forget your password, we send a reset link to this address.")}  # noqa: RUF012


class NewAccountForm(BaseUserCreationForm):  # type: ignore[type-arg]  # not subscriptable at run time
    """A form for the new account of an invited person; the password rules come from the settings."""

    class Meta:
        model = User
        fields = ("username", "email")
        labels = {"email": _("E-mail address")}  # noqa: RUF012
        help_texts = {"email": _("If you forget your password, we send a reset link to this address.")}  # noqa: RUF012

    def clean_username(self) -> str:
        """Refuse a name that differs from an existing one only in upper and lower case."""
        name: str = self.cleaned_data["username"]
        if User.objects.filter(username__iexact=name).exists():
            raise forms.ValidationError(
                _("The name %(name)s is taken. Choose another one."), params={"name": name}
            )
        return name


class TokenForm(forms.Form):
    """A form for a token in one of the person's organisations, with at most the person's own role."""

    name = forms.CharField(
        label=_("Name"),
        max_length=100,
        help_text=_("For example the name of the program that uses the token."),
    )
    place = forms.ChoiceField(label=_("Organisation and role"))
    days = forms.TypedChoiceField(
        label=_("Valid for"),
        coerce=int,
        initial=90,
        choices=[(30, _("30 days")), (90, _("90 days")), (365, _("a year")), (0, _("until it is revoked"))],
    )

    def __init__(self, user: Any, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        rows = Membership.objects.for_user(user, Permission.TOKENS).filter(user=user)
        self._places = {
            f"{row.organisation_id} {role}": (row.organisation, role)
            for row in rows.select_related("organisation")
            for role in sorted(roles_below(row), key=lambda role: len(TABLE[role]))  # weakest first
        }
        labels = [(key, f"{place.name}: {role.label}") for key, (place, role) in self._places.items()]
        cast(forms.ChoiceField, self.fields["place"]).choices = labels

    @property
    def possible(self) -> bool:
        return bool(self._places)

    def chosen(self) -> dict[str, Any]:
        """Return the arguments for `twin.accounts.api_tokens.make`."""
        organisation: Organisation
        organisation, role = self._places[self.cleaned_data["place"]]
        days = self.cleaned_data["days"]
        until = timezone.now() + timedelta(days=days) if days else None
        return {
            "organisation": organisation,
            "role": role,
            "name": self.cleaned_data["name"],
            "expires_at": until,
        }
