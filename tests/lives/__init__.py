"""Lives of parts to judge the forecast of remaining life: `python -m tests.lives`.

`fleet.py` lets parts work and fail by laws of its own; it imports nothing of the forecaster and shares no
constant with it. `judge.py` gives the readings to the forecaster and compares its forecasts with the ends.
"""
