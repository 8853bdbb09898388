"""Running a machine: the engine, the simulation, its inputs, and what a run leaves behind."""
