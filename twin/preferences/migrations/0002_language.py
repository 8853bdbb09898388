# ruff: noqa: RUF012

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("preferences", "0001_first")]

    operations = [
        migrations.AddField(
            model_name="preference",
            name="language",
            field=models.CharField(
                blank=True, choices=[("en", "English"), ("fi", "Suomi")], default="", max_length=10
            ),
        )
    ]
