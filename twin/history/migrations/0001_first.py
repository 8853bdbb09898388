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
            name="Position",
            fields=[
                (
                    "machine",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="+",
                        serialize=False,
                        to="fleet.machine",
                    ),
                ),
                ("last_id", models.CharField(max_length=41)),
            ],
            options={
                "abstract": False,
            },
        ),
        migrations.CreateModel(
            name="Series",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("channel", models.CharField(max_length=100)),
                (
                    "machine",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="fleet.machine",
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "series",
            },
        ),
        migrations.CreateModel(
            name="Second",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("second", models.BigIntegerField()),
                ("count", models.PositiveIntegerField()),
                ("least", models.FloatField()),
                ("mean", models.FloatField()),
                ("most", models.FloatField()),
                (
                    "series",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="history.series",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Start",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("device", models.UUIDField()),
                ("boot", models.CharField(max_length=64)),
                ("stored", models.JSONField()),
                (
                    "machine",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="fleet.machine"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Segment",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("first_us", models.BigIntegerField()),
                ("last_us", models.BigIntegerField()),
                ("count", models.PositiveIntegerField()),
                ("data", models.BinaryField()),
                (
                    "machine",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="fleet.machine",
                    ),
                ),
            ],
            options={
                "ordering": ("first_us", "id"),
                "indexes": [models.Index(fields=["machine", "first_us"], name="segment_by_time")],
            },
        ),
        migrations.AddConstraint(
            model_name="series",
            constraint=models.UniqueConstraint(fields=("machine", "channel"), name="one_series_per_channel"),
        ),
        migrations.AddConstraint(
            model_name="second",
            constraint=models.UniqueConstraint(fields=("series", "second"), name="one_row_per_second"),
        ),
        migrations.AddConstraint(
            model_name="start",
            constraint=models.UniqueConstraint(
                fields=("machine", "device", "boot"), name="one_row_per_start"
            ),
        ),
    ]
