// A remembered theme is set before the first paint. Without one, the system decides.
try {
  const theme = localStorage.getItem("hydratwin-theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch {
  // Storage may be forbidden; then the system's preference holds.
}
