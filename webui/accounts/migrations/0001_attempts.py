"""Creates the table of the cache that counts attempts to sign in (CACHES in the settings)."""

from typing import Any

from django.core.management import call_command
from django.db import migrations


def create(apps: Any, schema_editor: Any) -> None:
    call_command("createcachetable", database=schema_editor.connection.alias, verbosity=0)


class Migration(migrations.Migration):
    initial = True
    dependencies = ()

    operations = (migrations.RunPython(create, migrations.RunPython.noop),)
