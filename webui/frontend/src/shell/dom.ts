// Small helpers for DOM elements.

/** Finds an element that must exist; throws if the page does not contain it. */
export function need<T extends Element = HTMLElement>(root: ParentNode, selector: string): T {
  const element = root.querySelector<T>(selector);
  if (element === null) throw new Error(`the page has no ${selector}`);
  return element;
}

/** Writes text only if it has changed, so that neither layout nor screen readers are disturbed. */
export function setText(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

export function setData(element: HTMLElement, key: string, value: string): void {
  if (element.dataset[key] !== value) element.dataset[key] = value;
}

/** Calls back after the changes of this animation frame have been painted: in the next frame, after its own work. */
export function afterPaint(done: () => void): void {
  requestAnimationFrame(() => window.setTimeout(done));
}

/** Switches an icon to another symbol of the page's sprite. */
export function setIcon(root: ParentNode, id: string): void {
  const use = need<SVGUseElement>(root, "use");
  if (use.getAttribute("href") !== `#${id}`) use.setAttribute("href", `#${id}`);
}
