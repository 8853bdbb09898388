"""Entry point of the ASGI server: `uvicorn webui.asgi:application`."""

import gc
import os

from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "twin.settings")
_django = get_asgi_application()  # first: it loads the models that the import below needs

from webui.application import Application  # noqa: E402

application = Application(_django)
gc.freeze()  # keeps modules out of garbage collection, whose pauses stall every socket
