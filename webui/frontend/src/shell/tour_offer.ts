// Offers the tour, and loads its code when the tour is started.

/** Key in session storage for the step to show; absent while no tour is running. */
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

/** Stops offering the tour; it can still be started from the help page. */
function putAway(offer: HTMLFormElement): void {
  void fetch(offer.action, { method: "POST", body: new FormData(offer) });
  offer.hidden = true;
}
