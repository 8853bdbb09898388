# ruff: noqa: RUF012

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("fleet", "0002_token_verifier"),
    ]

    operations = [
        migrations.CreateModel(
            name="Usage",
            fields=[
                (
                    "machine",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="usage",
                        serialize=False,
                        to="fleet.machine",
                    ),
                ),
                ("since", models.DateTimeField(auto_now_add=True)),
                ("until_us", models.BigIntegerField(default=0)),
                ("run_s", models.FloatField(default=0.0)),
                ("energy_joule", models.FloatField(default=0.0)),
                ("fuel_kg", models.FloatField(default=None, null=True)),
                ("recent", models.JSONField(default=list)),
            ],
            options={
                "abstract": False,
            },
        ),
    ]
