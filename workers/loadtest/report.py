"""Writes the report of a load test as text, with the reasons if it failed."""

from typing import Any


def problems(report: dict[str, Any]) -> list[str]:
    """Return why the run failed; empty if it did not. Speed is reported, but a slow run does not fail."""
    found = []
    samples, fault = report["samples"], report["fault"]
    if samples["lost"]:
        found.append(f"{samples['lost']} acknowledged samples are not stored")
    found += [f"stored twice or never sent: {machine}" for machine in samples["strange"]]
    if samples["acknowledged"] < samples["sent"]:
        found.append(f"{samples['sent'] - samples['acknowledged']} samples were never acknowledged")
    if report["unsettled"]:
        found.append(f"{len(report['unsettled'])} machines still had samples to save or store")
    if fault and fault["different"]:
        found.append(f"{len(fault['different'])} twins differ from an undisturbed run")
    if fault and fault["recovered_s"] is None:
        found.append("not every twin followed its machine again after the fault")
    return found


def text(report: dict[str, Any]) -> str:
    samples, chunks, frames = report["samples"], report["chunks"], report["frames"]
    lines = [
        f"{report['twins']} twins of {report['model']}{_cores(report['cores'])} "
        f"at {report['rate']:g} Hz over {report['transport']}, "
        f"{report['sockets']} sockets, {report['seconds']:g} s",
        f"chunks    {_percent(chunks['within_50_ms'])} of {chunks['finished']} within 50 ms of being due",
        f"frames    {frames['received']} received, {frames['missing']} missing; time to the client "
        f"p50 {_ms(frames['way_ms']['p50'])}, p99 {_ms(frames['way_ms']['p99'])}; "
        f"lag beyond the delay of {frames['delay_ms']:g} ms: "
        f"p50 {_ms(frames['lag_ms']['p50'])}, p99 {_ms(frames['lag_ms']['p99'])}",
        f"samples   {samples['sent']} sent, {samples['acknowledged']} acknowledged, "
        f"{samples['stored']} stored, {samples['lost']} lost; acknowledged after "
        f"p50 {_ms(samples['ack_ms']['p50'])}, p99 {_ms(samples['ack_ms']['p99'])}",
        "processor " + ", ".join(f"{name} {value:.0f} %" for name, value in report["cpu_percent"].items()),
        "memory    " + ", ".join(_memory(name, of) for name, of in report["memory"].items()),
    ]
    if fault := report["fault"]:
        after = "never" if fault["recovered_s"] is None else f"after {fault['recovered_s']:.1f} s"
        lines.append(
            f"fault     {fault['name']}: all twins followed again {after}; "
            f"{fault['identical']} states bit-identical to an undisturbed run, {len(fault['different'])} not"
        )
    return "\n".join([*lines, *(f"FAILED    {problem}" for problem in problems(report))])


def _cores(cores: int | None) -> str:
    return "" if cores is None else f" on {cores} core{'s' if cores > 1 else ''} of their own"


def _memory(name: str, of: dict[str, float | None]) -> str:
    slope = "" if of["mb_per_min"] is None else f" ({of['mb_per_min']:+.2f}/min)"
    return f"{name} {of['mb']:.0f} MB{slope}"


def _percent(share: float | None) -> str:
    return "none" if share is None else f"{100 * share:.2f} %"


def _ms(value: float | None) -> str:
    return "none" if value is None else f"{value:.0f} ms"
