// Design tokens for canvas and WebGL, which cannot read CSS variables themselves.

let probe: HTMLElement | null = null;
const resolved = new Map<string, string>();

/** Returns the colour of a token in the present theme, as rgb() text. */
export function tokenColor(name: string): string {
  const known = resolved.get(name);
  if (known !== undefined) return known;
  if (probe === null) {
    probe = document.createElement("span");
    probe.hidden = true;
    document.body.append(probe);
  }
  probe.style.color = `var(${name})`;
  const color = getComputedStyle(probe).color;
  resolved.set(name, color);
  return color;
}

/** Returns the same colour, translucent. */
export function withAlpha(rgb: string, alpha: number): string {
  return rgb.replace(/^rgba?\(([^),]+),([^),]+),([^),]+).*$/, `rgba($1,$2,$3,${alpha})`);
}

/** Calls back when the theme changes, whether by the switch or by the system. */
export function onThemeChange(callback: () => void): void {
  document.addEventListener("hydratwin:theme", callback);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", callback);
}

onThemeChange(() => resolved.clear());

const reduced = matchMedia("(prefers-reduced-motion: reduce)");

export function reducedMotion(): boolean {
  return reduced.matches;
}
