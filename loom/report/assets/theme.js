// Light and dark: as the system has it, until somebody chooses.

function startTheme() {
  const wish = matchMedia("(prefers-color-scheme: dark)");
  const root = document.documentElement;
  let chosen = "";
  try {
    chosen = localStorage.getItem("loom-report-theme") || "";
  } catch (error) {
    chosen = ""; // a page may be opened where nothing can be kept
  }
  const show = () => (root.dataset.theme = chosen || (wish.matches ? "dark" : "light"));
  wish.addEventListener("change", show);
  byId("theme").addEventListener("click", () => {
    chosen = root.dataset.theme === "dark" ? "light" : "dark";
    show();
    try {
      localStorage.setItem("loom-report-theme", chosen);
    } catch (error) {
      return;
    }
  });
  show();
}
