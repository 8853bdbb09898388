"""The field test: twins of the platform beside machines that differ from their description, over bad links.

    python -m tests.field --draws 20 --machine excavator --cause pump   20 draws of that kind, then the table
    python -m tests.field --draw 37                                     one draw of the 300, with its record
    python -m tests.field --draws 300 --jobs 2 --strict                 what `make soak` runs
    python -m tests.field --causes                                      what may be wrong with a machine

Options: `--seconds 60` shortens the work, `--clean` gives 50 Hz without loss, gaps and jitter,
`--records FILE` writes a JSON line per draw, `--judge FILE` judges such a file again, `--strict` ends with
exit code 1 when a pass line fails.

A draw is a function of its number alone. `--machine` and `--cause` replace what the number would choose and
leave the rest (scatter, work, link) as it is, so that the same numbers can be compared before and after a
change.

    causes.py      what is wrong: the dominant cause of a draw, with its size
    link.py        how telemetry travels: rate, loss, gaps, jitter, batches
    draws.py       a draw: machine, cause, scatter, work and link, all from its number
    built.py       the machine as built: scatter and cause in the description
    work.py        operators: scripted cycles and free play
    other_excavator.py  a machine of another engine, with equations and laws of its own
    truth.py       the work, integrated with another step than the twin's
    telemetry.py   readings with the errors of sensors and clocks, and the entries of the stream
    play.py        entries into the platform's session and twin, as the runner feeds them
    record.py      what a draw showed
    names.py       which finding names which cause
    judge.py       tables and pass lines
    jobs.py        draws in one process or several
"""
