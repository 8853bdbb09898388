"""The forms of an organisation's pages."""

from typing import Any, cast

from django import forms
from django.utils.translation import gettext_lazy as _

from twin.audit.models import Action
from twin.fleet.models import Machine, Organisation
from twin.fleet.permissions import Role
from twin.webhooks.services import CHOICES


class InviteForm(forms.Form):
    note = forms.CharField(
        label=_("For whom"),
        max_length=100,
        help_text=_("Enter a name or an e-mail address, so that you can tell invitations apart."),
    )
    role = forms.ChoiceField(label=_("Role"), choices=Role.choices, initial=Role.OPERATOR)


class RoleForm(forms.Form):
    role = forms.ChoiceField(label=_("Role"), choices=Role.choices)


class ShareForm(forms.Form):
    machine = forms.ModelChoiceField(
        Machine.objects.for_runtime().none(), label=_("Machine"), empty_label=_("Choose a machine")
    )
    code = forms.UUIDField(
        label=_("Code of the other organisation"),
        help_text=_("Members of the other organisation find the code under Account, Overview."),
        error_messages={
            "invalid": _("This is not a valid code. A code looks like 5f0c7a52-0d8e-4c3b-9f1e-1a2b3c4d5e6f.")
        },
    )

    def __init__(self, organisation: Organisation, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        machines = Machine.objects.for_runtime().filter(organisation=organisation)
        cast("forms.ModelChoiceField[Machine]", self.fields["machine"]).queryset = machines


class WebhookForm(forms.Form):
    url = forms.URLField(
        label=_("Address"),
        max_length=500,
        assume_scheme="https",
        help_text=_("The address must be reachable from the internet and begin with https://."),
    )
    events = forms.MultipleChoiceField(
        label=_("Events"),
        choices=[(event.value, event.label) for event in CHOICES],
        widget=forms.CheckboxSelectMultiple,
    )


class WebhookChangeForm(WebhookForm):
    active = forms.BooleanField(label=_("Send events"), required=False)


class AuditFilterForm(forms.Form):
    who = forms.CharField(label=_("Who"), max_length=150, required=False)
    action = forms.ChoiceField(
        label=_("What"), choices=[("", _("Everything")), *Action.choices], required=False
    )
    since = forms.DateField(label=_("From"), required=False, widget=forms.DateInput(attrs={"type": "date"}))
    until = forms.DateField(label=_("To"), required=False, widget=forms.DateInput(attrs={"type": "date"}))
