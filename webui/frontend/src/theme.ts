// Sets a stored theme before the first paint. Without one, the system decides.
try {
  const theme = localStorage.getItem("hydratwin-theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch {
  // Storage may be blocked; then the system's preference holds.
}
