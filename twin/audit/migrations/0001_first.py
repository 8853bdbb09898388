# ruff: noqa: RUF012

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("fleet", "0003_kinds_and_grants"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Entry",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("at", models.DateTimeField(auto_now_add=True)),
                ("actor_name", models.CharField(max_length=150)),
                (
                    "action",
                    models.CharField(
                        choices=[
                            ("signed_in", "Signed in"),
                            ("sign_in_failed", "Failed to sign in"),
                            ("signed_out", "Signed out"),
                            ("password_changed", "Changed the password"),
                            ("password_reset", "Reset the password by e-mail"),
                            ("email_changed", "Changed the e-mail address"),
                            ("factor_added", "Turned the second factor on"),
                            ("factor_removed", "Turned the second factor off"),
                            ("codes_made", "Created new recovery codes"),
                            ("session_ended", "Ended a session"),
                            ("invited", "Invited a person"),
                            ("invitation_withdrawn", "Withdrew an invitation"),
                            ("joined", "Accepted an invitation"),
                            ("role_changed", "Changed a role"),
                            ("member_removed", "Removed a member"),
                            ("shared", "Shared a machine"),
                            ("unshared", "Stopped sharing a machine"),
                            ("device_token_issued", "Issued a device token"),
                            ("device_token_revoked", "Revoked a device token"),
                            ("api_token_made", "Created an API token"),
                            ("api_token_revoked", "Revoked an API token"),
                            ("webhook_added", "Added a webhook"),
                            ("webhook_changed", "Changed a webhook"),
                            ("webhook_removed", "Removed a webhook"),
                            ("exported", "Exported history"),
                            ("admin_added", "Added on the admin site"),
                            ("admin_changed", "Changed on the admin site"),
                            ("admin_removed", "Removed on the admin site"),
                        ],
                        max_length=30,
                    ),
                ),
                ("target", models.CharField(blank=True, max_length=200)),
                ("detail", models.CharField(blank=True, max_length=300)),
                ("address", models.CharField(blank=True, max_length=45)),
                (
                    "actor",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "organisation",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="fleet.organisation",
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "entries",
                "ordering": ("-at", "-id"),
                "indexes": [models.Index(fields=["organisation", "-at"], name="audit_by_time")],
            },
        ),
    ]
