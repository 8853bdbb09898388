"""Makes the curl command that sends a machine's first sample."""

import json

from twin.fleet.identity import telemetry_channels
from twin.showroom.services import Connected

TYPICAL = {"pressure": 2.5e6, "angle": 0.5, "length": 0.5}  # SI; any plausible value will do


def curl_line(connected: Connected, url: str) -> str:
    """Return the command, with a typical reading for every sensor and the current time."""
    channels = telemetry_channels(connected.machine).values()
    readings = {c.name: TYPICAL.get(c.quantity, 0.0) for c in channels if c.role == "sensor"}
    body = json.dumps({"boot": "first try", "samples": [{"seq": 0, "t": "NOW", "channels": readings}]})
    shell = body.replace('"NOW"', "\"'$(date -u +%Y-%m-%dT%H:%M:%SZ)'\"")
    return (
        f"curl -X POST {url} \\\n"
        f'  -H "Authorization: Bearer {connected.token}" \\\n'
        f'  -H "Content-Type: application/json" \\\n'
        f"  -d '{shell}'"
    )
