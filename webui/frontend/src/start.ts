// Entry of the page after an organisation or a machine was made: copies lines, waits live for the first samples.
import { StartPage } from "./onboarding/start_page.ts";
import { need } from "./shell/dom.ts";

new StartPage(need(document, ".start")).start();
