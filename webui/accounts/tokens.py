"""Pages for a person's API tokens: create a token, show it once, revoke it."""

from uuid import UUID

from django.contrib import messages
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from twin.accounts import api_tokens
from twin.accounts.models import ApiToken
from twin.fleet.services import Refused
from webui.accounts.author import author_of
from webui.accounts.forms import TokenForm
from webui.accounts.signed_in import signed_in


@require_http_methods(["GET", "HEAD", "POST"])
def tokens(request: HttpRequest) -> HttpResponse:
    form = TokenForm(request.user, request.POST or None)
    made = ""
    if request.method == "POST" and form.is_valid():
        try:
            owner = User.objects.get(pk=signed_in(request).pk)
            _row, made = api_tokens.make(author_of(request), owner, **form.chosen())
            form = TokenForm(request.user)
        except Refused as error:
            form.add_error(None, str(error))
    now = timezone.now()
    rows = ApiToken.objects.for_user(request.user).filter(user=request.user.pk)
    listed = [(row, row.is_valid(now)) for row in rows.select_related("organisation")]
    context = {"form": form, "made": made, "tokens": listed}
    return render(request, "accounts/tokens.html", context, status=422 if form.errors else 200)


@require_POST
def revoke_token(request: HttpRequest, token_id: UUID) -> HttpResponse:
    rows = ApiToken.objects.for_user(request.user).filter(user=request.user.pk)
    token = get_object_or_404(rows.select_related("organisation"), pk=token_id)
    api_tokens.revoke(author_of(request), token)
    messages.success(request, _("Token %(name)s revoked.") % {"name": token.name})
    return redirect("accounts:tokens")
