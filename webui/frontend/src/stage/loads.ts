// What cylinders carry: the share of the full force of each, and which carries most.

/** Share of the full force, 0 to 1; nothing known is nothing shown. */
export function shareOf(force: number, full: number): number {
  return Number.isFinite(force) && full > 0 ? Math.min(1, Math.abs(force) / full) : 0;
}

/** The cylinder with the largest force; -1 where there is no choice to make. */
export function heaviest(forces: readonly number[]): number {
  if (forces.length < 2) return -1;
  let most = -1;
  forces.forEach((force, i) => {
    if (Number.isFinite(force) && (most < 0 || Math.abs(force) > Math.abs(forces[most] as number))) most = i;
  });
  return most;
}
