"""Lists and ends a person's sessions; the sockets of an ended session close within seconds."""

from allauth.usersessions.internal.flows.sessions import end_other_sessions, end_sessions
from allauth.usersessions.models import UserSession
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from webui.accounts.browsers import browser
from webui.accounts.signed_in import signed_in


@require_safe
def sessions(request: HttpRequest) -> HttpResponse:
    rows = UserSession.objects.purge_and_list(signed_in(request))
    rows.sort(key=lambda row: (not row.is_current(), -row.created_at.timestamp()))
    named = [(row, browser(row.user_agent)) for row in rows]
    return render(request, "accounts/sessions.html", {"sessions": named})


@require_POST
def end_session(request: HttpRequest, session_id: int) -> HttpResponse:
    row = get_object_or_404(UserSession, pk=session_id, user=request.user.pk)
    end_sessions(request, [row])
    messages.success(request, _("The session has ended."))
    return redirect("accounts:sessions")


@require_POST
def end_others(request: HttpRequest) -> HttpResponse:
    end_other_sessions(request, signed_in(request))
    messages.success(request, _("All other sessions have ended."))
    return redirect("accounts:sessions")
