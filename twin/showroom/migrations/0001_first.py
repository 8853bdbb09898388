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
            name="Exhibit",
            fields=[
                (
                    "device",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="exhibit",
                        serialize=False,
                        to="fleet.device",
                    ),
                ),
                ("until", models.DateTimeField()),
            ],
            options={
                "abstract": False,
            },
        ),
    ]
