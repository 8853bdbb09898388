// Entry point of every page: theme switch, messages, saved form fields and the tour.

import { setUpThemeSwitch } from "./shell/theme_switch.ts";
import { setUpToasts } from "./shell/toast.ts";
import { setUpTour } from "./shell/tour_offer.ts";
import { keepTyped } from "./shell/typed.ts";

const themeSwitch = document.querySelector<HTMLButtonElement>("#theme-switch");
if (themeSwitch !== null) setUpThemeSwitch(themeSwitch);

const toasts = document.querySelector<HTMLElement>("#toasts");
if (toasts !== null) setUpToasts(toasts);

keepTyped(document, sessionStorage);
setUpTour(document);
