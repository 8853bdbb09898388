// Light and dark. A choice equal to the system's is forgotten, so that the page follows the system again.

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
    const other = currentTheme() === "dark" ? "light" : "dark";
    button.setAttribute("aria-label", `Switch to ${other} theme`);
    button.title = `Switch to ${other} theme`;
  };
  button.addEventListener("click", () => {
    choose(currentTheme() === "dark" ? "light" : "dark");
    describe();
  });
  dark.addEventListener("change", describe);
  button.hidden = false;
  describe();
}
