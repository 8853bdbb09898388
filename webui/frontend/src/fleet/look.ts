// A look at the fleet: which machines, in which order, drawn how. As webui/fleet/look.py has it, kept in the address.
import { LEVELS, type Level } from "./wire.ts";

export interface Look {
  search: string;
  level: string;
  kind: string;
  site: string;
  organisation: string;
  sort: string;
  layout: string;
}

const USUAL: Look = { search: "", level: "", kind: "", site: "", organisation: "", sort: "severity", layout: "list" };

/** What is known of a machine to choose and order it by; age in s, power in W, hours in s. */
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

export function readLook(form: Iterable<[string, string]>): Look {
  const look = { ...USUAL };
  for (const [name, value] of form) if (name in look) look[name as keyof Look] = value;
  return look;
}

/** As it stands in an address; what everybody starts with is left out. */
export function queryOf(look: Look): string {
  const query = new URLSearchParams();
  for (const name of Object.keys(USUAL) as Array<keyof Look>)
    if (look[name] !== USUAL[name]) query.set(name, look[name]);
  return query.toString();
}

export function shows(look: Look, machine: Machine): boolean {
  for (const name of ["level", "kind", "site", "organisation"] as const) {
    if (look[name] !== "" && machine[name] !== look[name]) return false;
  }
  const words = machine.words.toLowerCase();
  return look.search
    .toLowerCase()
    .split(/\s+/)
    .every((part) => words.includes(part));
}

/** Negative: a comes first. Machines that are equal in what counts are ordered by name. */
export function compare(look: Look, a: Machine, b: Machine): number {
  return order(look, a, b) || a.name.localeCompare(b.name);
}

function order(look: Look, a: Machine, b: Machine): number {
  switch (look.sort) {
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
