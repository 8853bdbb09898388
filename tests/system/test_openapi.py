"""The API against its own description: whatever fits it, and much that does not, never breaks the server."""

import json

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis.checks import not_a_server_error

from tests.conftest import WebServer
from tests.waiting import PATIENCE_S

pytestmark = pytest.mark.system

EXAMPLES = 12  # of each operation
MAKE_TOKEN = """
from django.contrib.auth.models import User
from twin.accounts import api_tokens
from twin.audit.log import PLATFORM
from twin.fleet.models import Organisation
from twin.fleet.permissions import Role
alice = User.objects.get(username="alice")
ours = Organisation.objects.for_user(alice).get()
print(api_tokens.make(PLATFORM, alice, ours, Role.FLEET_MANAGER, "schemathesis")[1])
"""


@pytest.fixture(scope="module")
def headers(web_server: WebServer) -> dict[str, str]:
    token = web_server.manage("shell", "--no-imports", "--command", MAKE_TOKEN).strip()
    return {"Authorization": f"Bearer {token}"}


@pytest.fixture(scope="module")
def api(web_server: WebServer, headers: dict[str, str]) -> schemathesis.BaseSchema:
    """With the story's machine as an example of an identity, or every answer would be 404."""
    address = f"{web_server.url}/api/v1/openapi.json"
    schema = schemathesis.openapi.from_url(address, headers=headers, timeout=PATIENCE_S)
    raw = json.loads(json.dumps(schema.raw_schema))
    for operations in raw["paths"].values():
        for operation in operations.values():
            for parameter in operation.get("parameters", []):
                if parameter["name"] == "machine_id":
                    parameter["schema"] = {"type": "string", "enum": [web_server.machine]}
    return schemathesis.openapi.from_dict(raw)


def test_nothing_that_fits_the_description_breaks_the_server(
    api: schemathesis.BaseSchema, headers: dict[str, str], web_server: WebServer
) -> None:
    asked = dict.fromkeys((operation.ok().label for operation in api.get_all_operations()), 0)
    for operation in api.get_all_operations():
        for mode in schemathesis.GenerationMode:

            @settings(
                max_examples=EXAMPLES,
                deadline=None,
                phases=[Phase.generate],
                derandomize=True,
                suppress_health_check=list(HealthCheck),
            )
            @given(case=operation.ok().as_strategy(generation_mode=mode))
            def ask(case: schemathesis.Case) -> None:
                response = case.call(base_url=web_server.url, headers=headers, timeout=PATIENCE_S)
                asked[case.operation.label] += 1
                if response.status_code == 503:  # no twins run here: said as such
                    assert response.headers["Content-Type"] == "application/problem+json"
                    assert response.headers["Retry-After"]
                else:
                    case.validate_response(response, checks=[not_a_server_error])

            ask()
    assert len(asked) == 7
    assert min(asked.values()) >= 1
