# ruff: noqa: RUF012

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("fleet", "0002_token_verifier"),
    ]

    operations = [
        migrations.AddField(
            model_name="organisation",
            name="kind",
            field=models.CharField(
                choices=[("owner", "Owner"), ("manufacturer", "Manufacturer"), ("dealer", "Dealer")],
                default="owner",
                max_length=20,
            ),
        ),
        migrations.CreateModel(
            name="Grant",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("created", models.DateTimeField(auto_now_add=True)),
                (
                    "machine",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="grants", to="fleet.machine"
                    ),
                ),
                (
                    "organisation",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="grants",
                        to="fleet.organisation",
                    ),
                ),
            ],
            options={
                "ordering": ("machine", "organisation"),
                "constraints": [
                    models.UniqueConstraint(
                        fields=("machine", "organisation"),
                        name="one_grant_per_organisation",
                        violation_error_message="The machine is already shared with this organisation.",
                    )
                ],
            },
        ),
    ]
