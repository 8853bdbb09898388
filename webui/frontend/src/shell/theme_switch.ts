// Switches between light and dark. A choice that equals the system's is not stored, so that the page then follows the
// system.
import { t } from "../words.ts";

const KEY = "hydratwin-theme";
const dark = matchMedia("(prefers-color-scheme: dark)");

type Theme = "light" | "dark";

function systemTheme(): Theme {
  return dark.matches ? "dark" : "light";
}

function currentTheme(): Theme {
  const chosen = document.documentElement.dataset.theme;
  return chosen === "light" || chosen === "dark" ? chosen : systemTheme();
}

function choose(theme: Theme): void {
  const root = document.documentElement;
  try {
    if (theme === systemTheme()) {
      delete root.dataset.theme;
      localStorage.removeItem(KEY);
    } else {
      root.dataset.theme = theme;
      localStorage.setItem(KEY, theme);
    }
  } catch {
    root.dataset.theme = theme; // not remembered where storage is forbidden
  }
  document.dispatchEvent(new Event("hydratwin:theme"));
}

export function setUpThemeSwitch(button: HTMLButtonElement): void {
  const describe = () => {
    const words = currentTheme() === "dark" ? t("Switch to light theme") : t("Switch to dark theme");
    button.setAttribute("aria-label", words);
    button.title = words;
  };
  button.addEventListener("click", () => {
    choose(currentTheme() === "dark" ? "light" : "dark");
    describe();
  });
  dark.addEventListener("change", describe);
  button.hidden = false;
  describe();
}
