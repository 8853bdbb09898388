# ruff: noqa: RUF012

import uuid

import django.core.validators
import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("fleet", "0002_token_verifier"),
    ]

    operations = [
        migrations.CreateModel(
            name="Site",
            fields=[
                (
                    "id",
                    models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False),
                ),
                ("name", models.CharField(max_length=60, verbose_name="name")),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("yard", "Yard"),
                            ("building", "Building site"),
                            ("quarry", "Quarry"),
                            ("workshop", "Workshop"),
                        ],
                        default="yard",
                        max_length=10,
                        verbose_name="kind",
                    ),
                ),
                (
                    "east_m",
                    models.FloatField(
                        validators=[
                            django.core.validators.MinValueValidator(-1000000.0),
                            django.core.validators.MaxValueValidator(1000000.0),
                        ],
                        verbose_name="east",
                    ),
                ),
                (
                    "north_m",
                    models.FloatField(
                        validators=[
                            django.core.validators.MinValueValidator(-1000000.0),
                            django.core.validators.MaxValueValidator(1000000.0),
                        ],
                        verbose_name="north",
                    ),
                ),
                (
                    "organisation",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="sites",
                        to="fleet.organisation",
                    ),
                ),
            ],
            options={
                "ordering": ("name",),
            },
        ),
        migrations.CreateModel(
            name="Placement",
            fields=[
                (
                    "machine",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="placement",
                        serialize=False,
                        to="fleet.machine",
                    ),
                ),
                (
                    "site",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="placements",
                        to="work_sites.site",
                    ),
                ),
            ],
            options={
                "ordering": ("machine",),
            },
        ),
        migrations.AddConstraint(
            model_name="site",
            constraint=models.UniqueConstraint(
                fields=("organisation", "name"),
                name="one_site_of_a_name",
                violation_error_message="The organisation already has a site with this name.",
            ),
        ),
    ]
