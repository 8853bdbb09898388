"""Opens the pages of an organisation to members whose role allows it."""

from collections.abc import Callable
from functools import wraps
from typing import Any
from uuid import UUID

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse

from twin.fleet.models import Organisation
from twin.fleet.permissions import Permission

View = Callable[..., HttpResponse]


def organisation_page(permission: Permission) -> Callable[[View], View]:
    """Pass the organisation to the view; 404 for non-members, 403 for members without the permission."""

    def decorate(view: View) -> View:
        @wraps(view)
        def guarded(request: HttpRequest, organisation_id: UUID, **kwargs: Any) -> HttpResponse:
            found = Organisation.objects.for_user(request.user, permission).filter(pk=organisation_id).first()
            if found is not None:
                return view(request, found, **kwargs)
            if Organisation.objects.for_user(request.user).filter(pk=organisation_id).exists():
                raise PermissionDenied
            raise Http404

        return guarded

    return decorate
