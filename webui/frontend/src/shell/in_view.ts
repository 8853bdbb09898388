// Tells whether an element is visible: inside the window, on a visible page. Hidden elements need no drawing.

export class InView {
  seen = !document.hidden;
  private within = true;

  constructor(
    element: Element,
    private readonly changed: (seen: boolean) => void = () => undefined,
  ) {
    new IntersectionObserver((entries) => {
      this.within = entries.at(-1)?.isIntersecting ?? true;
      this.look();
    }).observe(element);
    document.addEventListener("visibilitychange", () => this.look());
  }

  private look(): void {
    this.seen = this.within && !document.hidden;
    this.changed(this.seen);
  }
}
