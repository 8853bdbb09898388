"""Describes for the OpenAPI document how devices send telemetry; the endpoint itself is in webui.ingest."""

from typing import Any, get_args

from django.conf import settings

from twin.ingest.body import MAX_BOOT
from twin.ingest.refusal import Code
from twin.ingest.validation import MAX_SEQ

SECURITY_SCHEME = {"type": "http", "scheme": "bearer", "description": "A device token: ht_<prefix>_<secret>."}

_PROBLEM = {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}


def telemetry_path() -> dict[str, Any]:
    """Return the path item of POST /api/v1/telemetry."""
    body = {"schema": _body()}
    refusals = {
        "400": "The body is not JSON, msgpack or gzip.",
        "401": "The device token is missing, unknown or revoked.",
        "408": f"The body did not arrive within {settings.BODY_S:g} s.",
        "413": f"The body is larger than {settings.MAX_BODY} bytes, before or after decompression.",
        "415": "The content type or encoding is not supported.",
        "422": "The body has a wrong structure; `errors` names the field.",
        "429": "The device sends too much. No sample was accepted; send again after Retry-After seconds.",
        "503": "No sample of the body was accepted; send again after Retry-After seconds.",
    }
    responses: dict[str, Any] = {
        "202": {
            "description": "Every sample that is not listed as rejected is stored durably.",
            "content": {"application/json": {"schema": _answer()}},
        }
    }
    responses |= {code: {"description": text, "content": _PROBLEM} for code, text in refusals.items()}
    return {
        "post": {
            "operationId": "send_telemetry",
            "summary": "Send telemetry",
            "description": "Samples of the device's machine; gzip is allowed. A sample is identified by "
            "(device, boot, seq): a sample sent again is counted as a duplicate and not stored twice.",
            "security": [{"DeviceToken": []}],
            "requestBody": {
                "required": True,
                "content": {"application/json": body, "application/msgpack": body},
            },
            "responses": responses,
        }
    }


def _body() -> dict[str, Any]:
    time = [
        {"type": "integer", "description": "microseconds since 1970 UTC"},
        {"type": "string", "format": "date-time"},
    ]
    sample = {
        "seq": {"type": "integer", "minimum": 0, "maximum": MAX_SEQ},
        "t": {"oneOf": time, "description": "machine time"},
        "channels": {
            "type": "object",
            "minProperties": 1,
            "additionalProperties": {"type": "number"},
            "description": "readings by channel, in SI units",
        },
    }
    boot = {
        "type": "string",
        "minLength": 1,
        "maxLength": MAX_BOOT,
        "description": "name of this start of the device; must be new at every start",
    }
    samples = {
        "type": "array",
        "minItems": 1,
        "maxItems": settings.MAX_SAMPLES,
        "items": _object(sample),
    }
    return _object({"boot": boot, "samples": samples})


def _answer() -> dict[str, Any]:
    rejection = {
        "index": {"type": "integer", "description": "index of the sample in the body"},
        "field": {"type": "string"},
        "reason": {"type": "string"},
        "retry": {"type": "boolean", "description": "whether the same sample may be accepted later"},
        "seq": {"type": ["integer", "null"], "description": "sequence number of the sample, if it has one"},
        "code": {
            "type": "string",
            "enum": list(get_args(Code)),
            "description": "code of the error, for programs",
        },
    }
    return _object(
        {
            "accepted": {"type": "integer"},
            "duplicate": {"type": "integer"},
            "rejected": {"type": "array", "items": _object(rejection)},
        }
    )


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "required": list(properties), "properties": properties}
