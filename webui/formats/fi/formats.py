"""Formats dates according to the Finnish standard SFS 4175."""

SHORT_DATE_FORMAT = "j.n.Y"
SHORT_DATETIME_FORMAT = "j.n.Y G.i"
DATETIME_FORMAT = "j.n.Y G.i.s"
TIME_FORMAT = "G.i.s"
