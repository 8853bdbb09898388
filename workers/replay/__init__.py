"""Recorded telemetry, sent as a device sends it: through the public interface, at any speed."""
