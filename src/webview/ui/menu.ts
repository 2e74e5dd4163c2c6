import { html, nothing, type TemplateResult } from "lit/html.js";
import type { Panel, PanelState } from "../app/panel-state.ts";
import type { ButtonOptions } from "./buttons.ts";
import { renderIcon } from "./icons.ts";

/** One entry of a menu. */
export interface MenuEntry {
  readonly label: string;
  readonly icon?: ButtonOptions["icon"];
  /** A subdued hint after the label, such as a state or a key. */
  readonly hint?: string;
  /** True if it's on; absent if it can't be checked. */
  readonly checked?: boolean;
  /** At most one entry of the menu is checked. */
  readonly oneOfMany?: boolean;
  readonly disabled?: boolean;
  readonly title?: string;
  choose(): void;
}

export type MenuItem = MenuEntry | "separator";

/** A button that opens a menu. */
export interface MenuOptions {
  /** Unique within the page. */
  readonly name: string;
  readonly label: string;
  /** Shown on the button instead of its label, which stays its name. */
  readonly face?: unknown;
  readonly look?: Pick<ButtonOptions, "kind" | "icon" | "iconOnly" | "disabled" | "title">;
  /** Creates the entries while the menu is open. */
  listItems(): readonly MenuItem[];
}

/** A button with a menu, which opens where there is more room. Supports arrows, Home, End, letters and Escape. */
export function renderMenu(panel: Panel, { name, label, face, look = {}, listItems }: MenuOptions): TemplateResult {
  const open = panel.state.menu === name;
  const { kind = "secondary", iconOnly = false } = look;
  const [buttonId, menuId] = [`${name}-menu-button`, `${name}-menu`];
  const openByKey = (event: KeyboardEvent): void => {
    if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
    event.preventDefault();
    const menu = document.getElementById(menuId);
    if (!menu?.matches(":popover-open")) menu?.showPopover();
    listEntries(menu)
      .at(event.key === "ArrowUp" ? -1 : 0)
      ?.focus();
  };
  const handleBeforeToggle = (event: ToggleEvent): void => {
    if (event.newState !== "open") return;
    panel.update((state) => ({ ...state, menu: name }));
    placeMenu(document.getElementById(menuId), document.getElementById(buttonId));
  };
  const handleToggle = (event: ToggleEvent): void => {
    if (event.newState === "closed") panel.update((state) => omitMenu(state, name));
  };
  return html`<button
      class="button ${kind} ${iconOnly ? "icon-only" : ""} opens-menu"
      type="button"
      id=${buttonId}
      popovertarget=${menuId}
      title=${look.title ?? (iconOnly ? label : nothing)}
      aria-label=${iconOnly || face !== undefined ? label : nothing}
      aria-haspopup="menu"
      aria-expanded=${open}
      ?disabled=${look.disabled ?? false}
      @keydown=${openByKey}
    >
      ${look.icon ? renderIcon(look.icon) : nothing}${iconOnly ? nothing : html`<span class="label">${face ?? label}</span>`}
    </button>
    <div class="menu" id=${menuId} role="menu" popover="auto" aria-label=${label} @keydown=${moveByKey} @focusout=${closeWithoutFocus} @beforetoggle=${handleBeforeToggle} @toggle=${handleToggle}>
      ${open ? listItems().map(renderMenuItem) : nothing}
    </div>`;
}

function renderMenuItem(item: MenuItem, index: number): TemplateResult {
  if (item === "separator") return html`<hr role="separator">`;
  const { label, hint, checked, oneOfMany = false, disabled = false, title } = item;
  const choose = (event: Event): void => {
    if (disabled) return;
    if (event.currentTarget instanceof HTMLElement) findMenuAround(event.currentTarget)?.hidePopover();
    item.choose();
  };
  const role = checked === undefined ? "menuitem" : oneOfMany ? "menuitemradio" : "menuitemcheckbox";
  return html`<button
    class="menu-item"
    type="button"
    role=${role}
    tabindex="-1"
    title=${title ?? nothing}
    aria-checked=${checked ?? nothing}
    aria-disabled=${disabled ? true : nothing}
    ?autofocus=${index === 0}
    @click=${choose}
  >
    <span class="menu-mark">${checked === true ? renderIcon("accept") : item.icon ? renderIcon(item.icon) : nothing}</span>
    <span class="menu-label" dir="auto">${label}</span>
    ${hint === undefined ? nothing : html`<span class="menu-hint">${hint}</span>`}
  </button>`;
}

function omitMenu(state: PanelState, name: string): PanelState {
  if (state.menu !== name) return state;
  const { menu: _menu, ...rest } = state;
  return rest;
}

function listEntries(menu: Element | null): readonly HTMLElement[] {
  return [...(menu?.querySelectorAll<HTMLElement>(".menu-item") ?? [])];
}

function findMenuAround(target: Element): HTMLElement | null {
  return target.closest<HTMLElement>(".menu");
}

function moveByKey(event: KeyboardEvent): void {
  const menu = event.currentTarget;
  if (!(menu instanceof HTMLElement)) return;
  if (event.key === "Tab") {
    menu.hidePopover();
    return;
  }
  const entries = listEntries(menu);
  const at = entries.findIndex((entry) => entry === document.activeElement);
  const next = findNextEntry(event.key, at, entries);
  if (next === undefined) return;
  event.preventDefault();
  next.focus();
}

function findNextEntry(key: string, at: number, entries: readonly HTMLElement[]): HTMLElement | undefined {
  switch (key) {
    case "ArrowDown":
      return entries[(at + 1) % entries.length];
    case "ArrowUp":
      return entries.at(at <= 0 ? -1 : at - 1);
    case "Home":
      return entries[0];
    case "End":
      return entries.at(-1);
    default:
      return key.length === 1 && key !== " " ? findEntryByLetter(key, at, entries) : undefined;
  }
}

/** The next entry with a label that starts with this letter. */
function findEntryByLetter(letter: string, at: number, entries: readonly HTMLElement[]): HTMLElement | undefined {
  const getEntryLabel = (entry: HTMLElement): string =>
    (entry.querySelector(".menu-label")?.textContent ?? "").trim().toLocaleLowerCase();
  const order = [...entries.slice(at + 1), ...entries.slice(0, at + 1)];
  return order.find((entry) => getEntryLabel(entry).startsWith(letter.toLocaleLowerCase()));
}

/** Closes the menu when the focus leaves it, for example for an editor. */
function closeWithoutFocus({ currentTarget, relatedTarget }: FocusEvent): void {
  if (!(currentTarget instanceof HTMLElement)) return;
  if (relatedTarget instanceof Node && currentTarget.contains(relatedTarget)) return;
  if (currentTarget.matches(":popover-open")) currentTarget.hidePopover();
}

/** Space between the menu and the edges of the page, in pixels. */
const MARGIN = 4;
/** A menu moves sideways until it can be this wide, in pixels. */
const WIDTH = 260;

/** Puts the menu above or below its button, aligned with the side of the button where there is more room. */
function placeMenu(menu: HTMLElement | null, anchor: HTMLElement | null): void {
  if (!menu || !anchor) return;
  const { top, bottom, left, right } = anchor.getBoundingClientRect();
  const { clientWidth: width, clientHeight: height } = document.documentElement;
  const above = height - bottom < top;
  const fromRight = left + right > width;
  const side = Math.max(MARGIN, Math.min(fromRight ? width - right : left, width - MARGIN - WIDTH));
  Object.assign(menu.style, {
    top: above ? "auto" : `${bottom + 2}px`,
    bottom: above ? `${height - top + 2}px` : "auto",
    left: fromRight ? "auto" : `${side}px`,
    right: fromRight ? `${side}px` : "auto",
    maxWidth: `${width - side - MARGIN}px`,
    maxHeight: `${(above ? top : height - bottom) - 2 - MARGIN}px`,
  });
}
