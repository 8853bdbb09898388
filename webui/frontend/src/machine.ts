// Entry point of the machine page.
import { MachinePage, type PageData } from "./machine/machine_page.ts";
import { need } from "./shell/dom.ts";
import { showToast } from "./shell/toast.ts";
import { readChannels } from "./socket/machine_messages.ts";
import { t } from "./words.ts";

try {
  const data = JSON.parse(need(document, "#page-data").textContent ?? "") as PageData;
  data.channels = readChannels(data.channels);
  new MachinePage(need(document, ".machine"), data).start();
} catch (error) {
  console.warn("The live view did not start:", error);
  showToast(t("The live view did not start. Reload the page. If it fails again, tell your administrator."));
}
