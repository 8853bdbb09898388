"""The forms for a new organisation and a new machine."""

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, cast

from django import forms
from django.contrib.auth.models import User
from django.contrib.auth.password_validation import password_validators_help_text_html, validate_password
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from twin.fleet.models import Organisation
from twin.showroom.services import offered_models
from webui.words import named


class MachineForm(forms.Form):
    """A form for a machine and its kind."""

    machine = forms.CharField(
        label=gettext_lazy("Name of your machine"), max_length=100, initial=gettext_lazy("My first machine")
    )
    model = forms.ChoiceField(label=gettext_lazy("Kind"))

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        models = cast(forms.ChoiceField, self.fields["model"])
        models.choices = [(model, named(kind)) for model, kind in offered_models()]


class OrganisationForm(MachineForm):
    """A form for an organisation with its first machine."""

    organisation = forms.CharField(label=gettext_lazy("Name of your organisation"), max_length=100)
    field_order: Iterable[str] = ("organisation",)

    def clean_organisation(self) -> str:
        name: str = self.cleaned_data["organisation"]
        if Organisation.objects.for_runtime().filter(name=name).exists():
            text = _(
                "The name %(name)s is taken. Choose another. If your organisation already uses this name, "
                "ask its administrator for an invitation."
            )
            raise ValidationError(text, params={"name": name})
        _check(Organisation(name=name).full_clean)
        return name


class SignUpForm(OrganisationForm):
    """A form for a new organisation, for a person without an account."""

    username = forms.CharField(label=gettext_lazy("Your user name"), max_length=150)
    password = forms.CharField(
        label=gettext_lazy("Password"),
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
    )
    field_order = ("organisation", "username", "password")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["password"].help_text = password_validators_help_text_html()

    def clean_username(self) -> str:
        name: str = self.cleaned_data["username"]
        _check(partial(User(username=name).clean_fields, exclude=["password"]))
        if User.objects.filter(username__iexact=name).exists():
            text = _("The user name %(name)s is taken. Choose another.")
            raise ValidationError(text, params={"name": name})
        return name

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        if "password" in cleaned:
            try:
                validate_password(cleaned["password"], User(username=cleaned.get("username", "")))
            except ValidationError as error:
                self.add_error("password", error)
        return cleaned


def _check(validate: Callable[[], None]) -> None:
    """Run a model's validation, and raise its messages for one field of the form."""
    try:
        validate()
    except ValidationError as error:
        raise ValidationError(error.messages) from None
