"""Database models of the history: segments of samples, summaries per second, and stream positions."""

from django.db import models

from twin.fleet.models import Machine
from twin.fleet.permissions import Permission
from twin.fleet.scope import TenantModel
from twin.ingest.body import MAX_BOOT


class Position(TenantModel):
    """The last entry of a machine's stream that is stored; updated in the same transaction as the samples."""

    organisation_path, machine_path, needs = "machine__organisation", "machine", Permission.HISTORY

    machine = models.OneToOneField(Machine, on_delete=models.CASCADE, primary_key=True, related_name="+")
    last_id = models.CharField(max_length=41)  # of the stream: two numbers of 64 bits

    def __str__(self) -> str:
        return self.last_id


class Start(TenantModel):
    """The stored sequence numbers of one boot of a device, as a list of runs [first, last] in order.

    The stream contains no sample twice, but it remembers sequence numbers only for a week. After a stream was
    lost, devices may send its samples again.
    """

    organisation_path, machine_path, needs = "machine__organisation", "machine", Permission.HISTORY

    machine = models.ForeignKey(Machine, on_delete=models.CASCADE, related_name="+")
    device = models.UUIDField()  # not a foreign key: the history outlives the device
    boot = models.CharField(max_length=MAX_BOOT)
    stored = models.JSONField()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("machine", "device", "boot"), name="one_row_per_start"),
        )

    def __str__(self) -> str:
        return f"{self.device} {self.boot}"


class Segment(TenantModel):
    """Samples in stream order, encoded by `columns.py`. Times are in microseconds since 1970."""

    organisation_path, machine_path, needs = "machine__organisation", "machine", Permission.HISTORY

    machine = models.ForeignKey(Machine, on_delete=models.CASCADE, related_name="+", db_index=False)
    first_us = models.BigIntegerField()  # machine time of the oldest sample; all are within one hour
    last_us = models.BigIntegerField()
    count = models.PositiveIntegerField()
    data = models.BinaryField()

    class Meta:
        ordering = ("first_us", "id")
        indexes = (models.Index(fields=("machine", "first_us"), name="segment_by_time"),)

    def __str__(self) -> str:
        return f"{self.count} samples"


class Series(TenantModel):
    """A channel of a machine; rows of Second refer to it instead of repeating its name."""

    organisation_path, machine_path, needs = "machine__organisation", "machine", Permission.HISTORY

    machine = models.ForeignKey(Machine, on_delete=models.CASCADE, related_name="+", db_index=False)
    channel = models.CharField(max_length=100)

    class Meta:
        verbose_name_plural = "series"
        constraints = (models.UniqueConstraint(fields=("machine", "channel"), name="one_series_per_channel"),)

    def __str__(self) -> str:
        return self.channel


class Second(TenantModel):
    """A summary of a channel's readings within one second of machine time, in SI units."""

    organisation_path, machine_path, needs = (
        "series__machine__organisation",
        "series__machine",
        Permission.HISTORY,
    )

    series = models.ForeignKey(Series, on_delete=models.CASCADE, related_name="+", db_index=False)
    second = models.BigIntegerField()  # since 1970
    count = models.PositiveIntegerField()
    least = models.FloatField()
    mean = models.FloatField()
    most = models.FloatField()

    class Meta:
        constraints = (models.UniqueConstraint(fields=("series", "second"), name="one_row_per_second"),)

    def __str__(self) -> str:
        return f"{self.mean:g} ({self.least:g} to {self.most:g})"
