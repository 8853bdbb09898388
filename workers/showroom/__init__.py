"""Sends the telemetry of the demo machines of new organisations, from one emulated rig."""
