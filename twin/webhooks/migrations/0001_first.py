# ruff: noqa: RUF012

import uuid

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("fleet", "0003_kinds_and_grants"),
    ]

    operations = [
        migrations.CreateModel(
            name="Told",
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
                ("status", models.CharField(max_length=20)),
                ("findings", models.JSONField(default=list)),
                ("rivals", models.BooleanField(default=False)),
            ],
            options={
                "verbose_name_plural": "told",
            },
        ),
        migrations.CreateModel(
            name="Webhook",
            fields=[
                (
                    "id",
                    models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False),
                ),
                ("url", models.URLField(max_length=500)),
                ("events", models.JSONField(default=list)),
                ("sealed_secret", models.TextField(editable=False)),
                ("active", models.BooleanField(default=True)),
                ("created", models.DateTimeField(auto_now_add=True)),
                (
                    "organisation",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="webhooks",
                        to="fleet.organisation",
                    ),
                ),
            ],
            options={
                "ordering": ("created",),
            },
        ),
        migrations.CreateModel(
            name="Delivery",
            fields=[
                (
                    "id",
                    models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False),
                ),
                (
                    "event",
                    models.CharField(
                        choices=[
                            ("machine.status_changed", "A twin's status changed"),
                            ("sensor.named", "Sensor fault detected"),
                            ("device.token_shared", "Two devices use the same token"),
                            ("ping", "Test"),
                        ],
                        max_length=30,
                    ),
                ),
                ("body", models.TextField()),
                ("created", models.DateTimeField(auto_now_add=True)),
                ("attempts", models.PositiveSmallIntegerField(default=0)),
                ("next_try", models.DateTimeField(db_index=True, null=True)),
                ("delivered_at", models.DateTimeField(null=True)),
                ("status", models.PositiveSmallIntegerField(null=True)),
                ("error", models.CharField(blank=True, max_length=200)),
                (
                    "webhook",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="deliveries",
                        to="webhooks.webhook",
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "deliveries",
                "ordering": ("-created",),
            },
        ),
    ]
