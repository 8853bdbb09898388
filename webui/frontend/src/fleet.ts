// Entry point of the fleet page.
import { FleetPage } from "./fleet/fleet_page.ts";
import { need } from "./shell/dom.ts";
import { showToast } from "./shell/toast.ts";
import { t } from "./words.ts";

try {
  new FleetPage(need(document, ".fleet")).start();
} catch (error) {
  console.warn("The live fleet did not start:", error);
  showToast(t("The live fleet view failed. Reload the page. If it fails again, tell your administrator."));
}
