// Sets a stored theme before the first paint. If none is stored, the page follows the system.
try {
  const theme = localStorage.getItem("hydratwin-theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch {
  // Storage may be blocked; then the system's preference holds.
}
