"""What machines have sent, for good: raw segments and a row per channel and second."""
