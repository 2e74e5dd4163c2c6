import { getErrorMessage } from "../../core/base/errors.ts";
import "../styles/base.css";
import "../styles/controls.css";
import "../styles/start.css";
import "../styles/models.css";
import "../styles/permissions.css";
import "../styles/run.css";
import "../styles/step.css";
import "../styles/dock.css";
import "../styles/review.css";
import "../styles/composer.css";
import "../styles/marking.css";
import "../styles/narrow.css";
import { html, render, type TemplateResult } from "lit/html.js";
import type { PanelRequest } from "../../schema/panel-messages.ts";
import { isPanelUpdate } from "../../schema/panel-validators.ts";
import { setLanguage, t } from "../../texts/language.ts";
import { LANGUAGE_ID } from "../../texts/languages.ts";
import type { Language } from "../../texts/writer.ts";
import { ARMING_MS } from "../approval/waiting-card.ts";
import { START_BUTTON_ID } from "../start/profile-view.ts";
import { renderButton } from "../ui/buttons.ts";
import { COMPOSER_ID } from "../ui/composer-view.ts";
import { renderIcon } from "../ui/icons.ts";
import { createBrowserVoice, speakChange } from "./announcements.ts";
import { PanelApp } from "./panel-app.ts";
import { changeRun, isStateKnown, type PanelState } from "./panel-state.ts";
import { createSavedPanel, isSavedStateChanged, restorePanel } from "./saved-panel.ts";

/** The panel reports an extension that has not answered for this long. */
const SILENCE_MS = 10_000;
/** Time until the panel asks again for its state; it doubles each time. */
const ASK_AGAIN_MS = { first: 5_000, longest: 30_000 };
/** Time for a screen reader to read an announcement, in milliseconds. */
const ANNOUNCED_MS = 10_000;
/** Time after the last key until what was typed is reported, in milliseconds. */
const TYPED_MS = 200;
/** From this width, there is room for a column beside the feed. */
const WIDE = "(min-width: 860px)";
/** From this size, a card has room for all its buttons. */
const TALL = "(min-height: 600px) and (min-width: 260px)";

setLanguage(findPageLanguage());
const api: EditorApi = acquireVsCodeApi();
const voice = createBrowserVoice(globalThis.speechSynthesis);
let app = start();

window.addEventListener("message", ({ data }: MessageEvent<unknown>) => {
  if (!isPanelUpdate(data)) return;
  app.receive(data);
  if (data.type === "focusInput") focusInput();
});
window.addEventListener("error", ({ message }) => {
  if (!message.startsWith("ResizeObserver loop")) complain(message);
});
window.addEventListener("unhandledrejection", ({ reason }) => complain(String(reason)));
window.addEventListener("focus", () => {
  api.postMessage({ type: "focus", inside: true });
  if (document.activeElement === document.body) app.focus(chooseFirstFocus(app.state));
});
window.addEventListener("blur", () => api.postMessage({ type: "focus", inside: false }));
const wide = window.matchMedia(WIDE);
wide.addEventListener("change", () => app.update((state) => ({ ...state, wide: wide.matches })));
const tall = window.matchMedia(TALL);
tall.addEventListener("change", () => app.update((state) => ({ ...state, tall: tall.matches })));

/** Focuses the text box now, or else as soon as the page has the focus, which may arrive later than the message. */
function focusInput(): void {
  if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
  app.focus(chooseFirstFocus(app.state));
}

/** The page's language, as written there by the extension. */
function findPageLanguage(): Language | undefined {
  const text = document.getElementById(LANGUAGE_ID)?.textContent;
  return text ? (JSON.parse(text) as Language) : undefined;
}

/** Starts in an empty page, after loading or after a failure. */
function start(): PanelApp {
  const root = document.createElement("div");
  root.id = "panel";
  document.getElementById("panel")?.replaceWith(root);
  const state: PanelState = {
    ...restorePanel(api.getState()),
    wide: window.matchMedia(WIDE).matches,
    tall: window.matchMedia(TALL).matches,
  };
  const panel = new PanelApp({ root, send: (message) => api.postMessage(message), handleChange, handleFailure }, state);
  panel.focus(chooseFirstFocus(state));
  askUntilKnown(panel, ASK_AGAIN_MS.first);
  api.postMessage({ type: "focus", inside: document.hasFocus() });
  setTimeout(() => panel.update((known) => ({ ...known, slow: true })), SILENCE_MS);
  return panel;
}

/** The first focus: the text box, or the button that starts a reviewed profile. */
function chooseFirstFocus({ form }: PanelState): string {
  return form ? START_BUTTON_ID : COMPOSER_ID;
}

/** Asks for the state until it arrives, because a starting or busy extension may miss a request. */
function askUntilKnown(panel: PanelApp, waitMs: number): void {
  api.postMessage({ type: "ready" });
  setTimeout(() => {
    if (panel === app && !isStateKnown(panel.state)) askUntilKnown(panel, Math.min(2 * waitMs, ASK_AGAIN_MS.longest));
  }, waitMs);
}

function restart(): void {
  app = start();
}

function handleChange(before: PanelState, after: PanelState): void {
  if (isSavedStateChanged(before, after)) {
    api.setState(createSavedPanel(after));
    reportTyped();
  }
  speakChange(before, after, voice);
  armSoon(before, after);
  if (after.announcements.at(-1) !== before.announcements.at(-1)) forgetSoon(after.announcements);
}

let typing: ReturnType<typeof setTimeout> | undefined;

/** Reports what is typed for the displayed run, so that another window that takes it over gets that too. */
function reportTyped(): void {
  clearTimeout(typing);
  typing = setTimeout(() => {
    const { place, composer, cardDrafts } = app.state;
    if (!place) return;
    const unsent = { text: composer.text, cards: cardDrafts.filter(({ run }) => run === place) };
    api.postMessage({ type: "typed", run: place, unsent });
  }, TYPED_MS);
}

/** Removes announcements that were read, so that a reader doesn't find old news at the end of the page. */
function forgetSoon(announcements: PanelState["announcements"]): void {
  if (announcements.length === 0) return;
  setTimeout(
    () => app.update((state) => (state.announcements === announcements ? { ...state, announcements: [] } : state)),
    ANNOUNCED_MS,
  );
}

/** Allows approval once a card has been visible for a moment, so that a key pressed for another purpose can't approve it. */
function armSoon(before: PanelState, after: PanelState): void {
  const card = after.run?.card;
  if (!card || card.armed || card.card === before.run?.card?.card) return;
  const { hash } = card.card;
  setTimeout(() => {
    app.update(
      changeRun((view) => (view.card?.card.hash === hash ? { ...view, card: { ...view.card, armed: true } } : view)),
    );
  }, ARMING_MS);
}

function handleFailure(error: unknown): void {
  console.error(error);
  showInstead(renderBrokenView(error, restart));
}

function showInstead(view: ReturnType<typeof renderBrokenView>): void {
  const root = document.createElement("div");
  root.id = "panel";
  document.getElementById("panel")?.replaceWith(root);
  render(view, root);
}

function complain(message: string): void {
  const text = t("header.panelProblem", { problem: message });
  app.update((state) => ({ ...state, notice: { text, kind: "error", actions: [] } }));
}

/** The API that VS Code gives to a webview's script, once. */
export interface EditorApi {
  postMessage(message: PanelRequest): void;
  getState(): unknown;
  setState(state: unknown): void;
}

declare global {
  function acquireVsCodeApi(): EditorApi;
}

/** Replaces a panel that could not be drawn, so that the page is never blank. */
export function renderBrokenView(error: unknown, reload: () => void): TemplateResult {
  const detail = getErrorMessage(error);
  return html`<main class="broken" role="alert">
    <h1>${renderIcon("warning", "bad")}${t("header.broken")}</h1>
    <p>${t("header.brokenText")}</p>
    <p class="hint">${detail}</p>
    ${renderButton(t("header.reloadPanelButton"), reload, { kind: "primary" })}
  </main>`;
}
