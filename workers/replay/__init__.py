"""Replays recorded telemetry as a device would send it: through the public interface, at any speed."""
