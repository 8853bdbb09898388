// Entry of every page: theme switch, messages, pages that keep themselves fresh.
import { keepFresh, showAges } from "./shell/fresh_list.ts";
import { setUpThemeSwitch } from "./shell/theme_switch.ts";
import { setUpToasts } from "./shell/toast.ts";

const themeSwitch = document.querySelector<HTMLButtonElement>("#theme-switch");
if (themeSwitch !== null) setUpThemeSwitch(themeSwitch);

const toasts = document.querySelector<HTMLElement>("#toasts");
if (toasts !== null) setUpToasts(toasts);

showAges(document, 0);
const list = document.querySelector<HTMLElement>("[data-fresh]");
if (list !== null) keepFresh(list);
