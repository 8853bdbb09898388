"""The permanent history of telemetry: raw segments, and summaries per channel and second."""
