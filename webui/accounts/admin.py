"""Removes allauth's models from the admin, because their rows do not belong to an organisation."""

import allauth.account.admin
import allauth.mfa.admin
import allauth.usersessions.admin  # noqa: F401  registers its models, whichever app is loaded first
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.usersessions.models import UserSession
from django.contrib import admin

for model in (EmailAddress, Authenticator, UserSession):
    admin.site.unregister(model)
