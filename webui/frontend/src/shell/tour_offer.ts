// The way into the tour. The tour itself is fetched when somebody takes it.

/** In the storage of the session: the step to show; nothing while no tour is under way. */
export const KEY = "hydratwin-tour";

export function setUpTour(root: ParentNode): void {
  const offer = root.querySelector<HTMLFormElement>(".tour-offer");
  offer?.addEventListener("submit", (event) => {
    event.preventDefault();
    putAway(offer);
  });
  for (const start of root.querySelectorAll<HTMLAnchorElement>("[data-start-tour]")) {
    start.addEventListener("click", (event) => {
      sessionStorage.setItem(KEY, "0");
      if (offer !== null) putAway(offer);
      if (start.pathname !== location.pathname) return; // the link leads to where the tour begins
      event.preventDefault();
      void goOn();
    });
  }
  if (sessionStorage.getItem(KEY) !== null) void goOn();
}

async function goOn(): Promise<void> {
  (await import("../tour/tour.ts")).goOn();
}

/** Not offered again; it can be started from the help page at any time. */
function putAway(offer: HTMLFormElement): void {
  void fetch(offer.action, { method: "POST", body: new FormData(offer) });
  offer.hidden = true;
}
