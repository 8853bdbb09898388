// Labels that would lie on one another are moved apart, up and down.

export interface Tag {
  /** Middle and half size, px. */
  x: number;
  y: number;
  halfWidth: number;
  halfHeight: number;
}

const ROUNDS = 24;

/** Moves tags apart within 0 to `height`; those that touch share the way. Each is changed in place. */
export function spread(tags: readonly Tag[], gap: number, top: (tag: Tag) => number, height: number): void {
  for (let round = 0; round < ROUNDS; round++) {
    let moved = false;
    for (let i = 0; i < tags.length; i++) {
      for (let j = i + 1; j < tags.length; j++) moved = part(tags[i] as Tag, tags[j] as Tag, gap) || moved;
    }
    for (const tag of tags) tag.y = Math.min(height - tag.halfHeight, Math.max(top(tag) + tag.halfHeight, tag.y));
    if (!moved) return;
  }
}

function part(a: Tag, b: Tag, gap: number): boolean {
  const beside = Math.abs(a.x - b.x) >= a.halfWidth + b.halfWidth + gap;
  const short = a.halfHeight + b.halfHeight + gap - Math.abs(a.y - b.y);
  if (beside || short <= 0.01) return false;
  const down = a.y < b.y ? 1 : -1;
  a.y -= (down * short) / 2;
  b.y += (down * short) / 2;
  return true;
}
