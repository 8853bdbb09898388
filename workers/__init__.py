"""Background processes: Celery workers, MQTT bridge, history writer, emulator, demo and load test."""
