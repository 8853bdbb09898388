"""Replays recorded telemetry as a device: through the public interface, at any speed."""
