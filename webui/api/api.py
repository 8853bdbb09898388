"""The HTTP API: machines, their state and their history. Programs sign in with an API token or a session."""

from collections.abc import Sequence
from typing import Any, Literal
from uuid import UUID

from csp.constants import SELF, UNSAFE_INLINE
from csp.decorators import csp_update
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.views.decorators.http import require_safe
from ninja import Field, NinjaAPI, Query, Schema
from ninja.errors import AuthenticationError, HttpError, ValidationError
from ninja.openapi.schema import OpenAPISchema
from ninja.pagination import LimitOffsetPagination, paginate
from ninja.security import HttpBearer, django_auth

from twin.audit.log import record
from twin.audit.models import Action
from twin.fleet.model_card import model_card
from twin.fleet.models import Machine
from twin.fleet.permissions import Permission
from webui.accounts.author import author_of
from webui.api import schemas
from webui.api.export import FILES, ExportQuery, export_history
from webui.api.history import BadQuestion, HistoryQuery, describe_history
from webui.api.state import describe_state
from webui.api.telemetry_doc import SECURITY_SCHEME, telemetry_path
from webui.fleet.last_frames import Seen, TelemetryAway, last_seen, last_seen_if_known
from webui.machine.channels import describe_channels
from webui.problems import FieldError, problem_response
from webui.shell.middleware import NOT_SIGNED_IN


class Interface(NinjaAPI):
    """The API; its OpenAPI document also describes the telemetry endpoint, which Django does not serve."""

    def get_openapi_schema(self, **options: Any) -> OpenAPISchema:
        schema = super().get_openapi_schema(**options)
        schema["paths"]["/api/v1/telemetry"] = telemetry_path()
        schema["components"]["securitySchemes"]["DeviceToken"] = SECURITY_SCHEME
        return schema


class ApiTokenAuth(HttpBearer):
    """Describes the API token for the documentation; webui.shell.middleware checks it before any view."""

    openapi_scheme = "bearer"

    def authenticate(self, request: HttpRequest, token: str) -> Any:
        return request.user if hasattr(request.user, "api_token") else None


interface = Interface(
    title="Hydratwin",
    version="1",
    urls_namespace="api",
    auth=[ApiTokenAuth(), django_auth],
    docs_url=None,  # served at /api/docs, see below
    description="Machines, their channels and their live state; telemetry from devices.",
)
MAX_PAGE = 1_000  # machines
MAX_OFFSET = 2**31 - 1  # the largest offset that every database takes
REFUSALS = {
    401: schemas.Problem,
    403: schemas.Problem,
    404: schemas.Problem,
    422: schemas.Problem,
    503: schemas.Problem,
}


class MachinePages(LimitOffsetPagination):
    """Reads the last frames only of the machines on the page."""

    class Input(Schema):
        limit: int = Field(100, ge=1, le=MAX_PAGE)
        offset: int = Field(0, ge=0, le=MAX_OFFSET)

    def paginate_queryset(self, queryset: Any, pagination: Any, request: HttpRequest, **params: Any) -> Any:
        page = super().paginate_queryset(queryset, pagination, request, **params)
        machines = list(page["items"])
        rows = zip(machines, last_seen_if_known(machines), strict=True)
        return {"items": [_row(machine, seen) for machine, seen in rows], "count": page["count"]}


class MachineFilter(Schema):
    search: str = Field(
        "", max_length=100, description="part of the name; upper and lower case are not distinguished"
    )
    model: str = Field("", max_length=50, description="exact name of the model")
    organisation: str = Field("", max_length=100, description="exact name of the organisation")
    status: Literal["", "synced", "coasting", "stale", "failed", "waiting"] = Field(
        "", description="present status of the twin; 503 while the telemetry server is not responding"
    )


@interface.get("/machines", response={200: list[schemas.MachineRow]})
@paginate(MachinePages)
def machines(request: HttpRequest, query: Query[MachineFilter]) -> Any:
    """The machines that you may see, by name; status is null while the telemetry server is not responding."""
    rows = Machine.objects.for_user(request.user).select_related("organisation").order_by("name", "pk")
    if query.search:
        rows = rows.filter(name__icontains=query.search)
    if query.model:
        rows = rows.filter(model=query.model)
    if query.organisation:
        rows = rows.filter(organisation__name=query.organisation)
    if not query.status:
        return rows
    known = list(rows)
    return [row for row, seen in zip(known, last_seen(known), strict=True) if seen.status == query.status]


@interface.get("/machines/{uuid:machine_id}", response={200: schemas.Machine, **REFUSALS})
def machine(request: HttpRequest, machine_id: UUID) -> dict[str, Any]:
    """One machine: its model, its channels and its 3D scene."""
    found = _find(request, machine_id)
    return {
        "id": found.pk,
        "name": found.name,
        "model": found.model,
        "organisation": found.organisation.name,
        "parameters": found.parameters,
        "created": found.created,
        "channels": describe_channels(found),
        "scene": found.scene(),
    }


@interface.get("/machines/{uuid:machine_id}/model", response={200: schemas.Model, **REFUSALS})
def model(request: HttpRequest, machine_id: UUID) -> dict[str, Any]:
    """The model of a machine: every parameter with its source, and the quality of the model."""
    found = _find(request, machine_id)
    return {"machine": found.pk} | model_card(found.model, found.parameters)


@interface.get("/machines/{uuid:machine_id}/state", response={200: schemas.State, **REFUSALS})
def state(request: HttpRequest, machine_id: UUID) -> dict[str, Any]:
    """The last state of a machine's twin; values are null if there is no state."""
    found = _find(request, machine_id)
    (seen,) = last_seen([found])
    return describe_state(found, seen)


@interface.get(
    "/machines/{uuid:machine_id}/history",
    response={200: schemas.History, **REFUSALS},
    by_alias=True,
    exclude_unset=True,  # raw samples have no summary columns, summaries no raw column
)
def history(request: HttpRequest, machine_id: UUID, query: Query[HistoryQuery]) -> dict[str, Any]:
    """Telemetry of a machine: raw samples, or count, min, mean and max per interval.

    Times are machine times. If a page has a `next`, pass it as `page=` to get the next page. The current
    interval and the last seconds before now may be incomplete.
    """
    return describe_history(request, _find(request, machine_id, Permission.HISTORY), query)


@interface.get("/machines/{uuid:machine_id}/history/export", response=REFUSALS, openapi_extra=FILES)
def export(request: HttpRequest, machine_id: UUID, query: Query[ExportQuery]) -> HttpResponseBase:
    """The history as a file of any length: CSV, or Parquet with the unit of each column in its metadata."""
    found = _find(request, machine_id, Permission.HISTORY)
    response = export_history(request, found, query)
    detail = f"{query.format}, {query.from_ or '…'} – {query.to or '…'}"
    record(author_of(request), found.organisation, Action.EXPORTED, found, detail)
    return response


@require_safe
@csp_update({"style-src": [SELF, UNSAFE_INLINE]})  # the documentation viewer writes inline styles
def docs(request: HttpRequest) -> HttpResponse:
    """Show the API documentation, without files from other hosts."""
    return interface.docs.render_page(request, interface)


def _find(request: HttpRequest, machine_id: UUID, permission: Permission = Permission.WATCH) -> Machine:
    rows = Machine.objects.for_user(request.user, permission).select_related("organisation")
    found = rows.filter(pk=machine_id).first()
    if found is not None:
        return found
    if Machine.objects.for_user(request.user).filter(pk=machine_id).exists():
        raise HttpError(403, f"Your role does not allow this: {permission.label}.")
    raise HttpError(404, f"Machine {machine_id} does not exist, or you have no access to it.")


def _row(machine: Machine, seen: Seen | None) -> dict[str, Any]:
    return {
        "id": machine.pk,
        "name": machine.name,
        "model": machine.model,
        "organisation": machine.organisation.name,
        "status": seen.status if seen else None,
        "age_s": seen.age_s if seen else None,
    }


# errors as problem documents


@interface.exception_handler(AuthenticationError)
def _not_signed_in(request: HttpRequest, error: AuthenticationError) -> HttpResponse:
    return problem_response(401, NOT_SIGNED_IN)


@interface.exception_handler(Http404)
def _not_found(request: HttpRequest, error: Http404) -> HttpResponse:
    return problem_response(404, "There is nothing at this address.")


@interface.exception_handler(HttpError)
def _refused(request: HttpRequest, error: HttpError) -> HttpResponse:
    return problem_response(error.status_code, error.message)


@interface.exception_handler(ValidationError)
def _invalid(request: HttpRequest, error: ValidationError) -> HttpResponse:
    return problem_response(422, "The request has invalid fields.", _fields(error.errors))


@interface.exception_handler(BadQuestion)
def _bad_question(request: HttpRequest, error: BadQuestion) -> HttpResponse:
    return problem_response(422, "The request has invalid fields.", [error.error])


@interface.exception_handler(TelemetryAway)
def _telemetry_away(request: HttpRequest, error: TelemetryAway) -> HttpResponse:
    response = problem_response(503, "The telemetry server is not responding; try again in a few seconds.")
    response["Retry-After"] = "5"
    return response


def _fields(errors: Sequence[dict[str, Any]]) -> list[FieldError]:
    return [
        FieldError(".".join(str(part) for part in error["loc"]), error["msg"], error["type"])
        for error in errors
    ]
