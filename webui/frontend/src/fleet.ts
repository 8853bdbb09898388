// Entry of the fleet page.
import { FleetPage } from "./fleet/fleet_page.ts";
import { need } from "./shell/dom.ts";
import { showToast } from "./shell/toast.ts";
import { t } from "./words.ts";

try {
  new FleetPage(need(document, ".fleet")).start();
} catch (error) {
  console.warn("The live fleet did not start:", error);
  showToast(t("The fleet cannot be shown live. Reload the page; if it stays like this, tell your administrator."));
}
