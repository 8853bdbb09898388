// Entry point of the page after an organisation or a machine was added.
import { StartPage } from "./onboarding/start_page.ts";
import { need } from "./shell/dom.ts";

new StartPage(need(document, ".start")).start();
