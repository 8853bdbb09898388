// A view of the fleet: which machines are shown, in which order and layout. The address of the page contains it.
// webui/fleet/fleet_query.py does the same on the server.
import { LEVELS, type Level } from "../socket/fleet_messages.ts";

export interface FleetView {
  search: string;
  level: string;
  kind: string;
  site: string;
  organisation: string;
  sort: string;
  layout: string;
}

const USUAL: FleetView = {
  search: "",
  level: "",
  kind: "",
  site: "",
  organisation: "",
  sort: "severity",
  layout: "list",
};

/** The properties by which machines are filtered and sorted: age in s, power in W, running time in s. */
export interface Machine {
  name: string;
  words: string;
  level: Level;
  kind: string;
  site: string;
  organisation: string;
  ageS: number | null;
  power: number | null;
  runS: number;
}

export function readView(form: Iterable<[string, string]>): FleetView {
  const view = { ...USUAL };
  for (const [name, value] of form) if (name in view) view[name as keyof FleetView] = value;
  return view;
}

/** Returns the view as the query string of an address, without default values. */
export function queryOf(view: FleetView): string {
  const query = new URLSearchParams();
  for (const name of Object.keys(USUAL) as Array<keyof FleetView>)
    if (view[name] !== USUAL[name]) query.set(name, view[name]);
  return query.toString();
}

export function shows(view: FleetView, machine: Machine): boolean {
  for (const name of ["level", "kind", "site", "organisation"] as const) {
    if (view[name] !== "" && machine[name] !== view[name]) return false;
  }
  const words = machine.words.toLowerCase();
  return view.search
    .toLowerCase()
    .split(/\s+/)
    .every((part) => words.includes(part));
}

/** Compares two machines; negative if a comes first. Machines that are otherwise equal are sorted by name. */
export function compare(view: FleetView, a: Machine, b: Machine): number {
  return order(view, a, b) || a.name.localeCompare(b.name);
}

function order(view: FleetView, a: Machine, b: Machine): number {
  switch (view.sort) {
    case "severity":
      return LEVELS.indexOf(a.level) - LEVELS.indexOf(b.level);
    case "age":
      return (b.ageS ?? 1e12) - (a.ageS ?? 1e12);
    case "load":
      return (b.power ?? -1) - (a.power ?? -1);
    case "hours":
      return b.runS - a.runS;
    default:
      return 0;
  }
}
