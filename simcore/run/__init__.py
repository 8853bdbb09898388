"""Running a machine: the engine, the simulation, its inputs, and the record of a run."""
