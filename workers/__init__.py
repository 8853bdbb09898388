"""Background processes: the Celery workers, the machine emulator, and the demo that runs all of it."""
