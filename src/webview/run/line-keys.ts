/**
 * Keyboard navigation between the stream's lines: only one line's controls are in the Tab order, and arrows, Home and End move from line to
 * line. It is the line that last had the focus. Before any had it, it is the newest line.
 */
export function setLineStops(root: HTMLElement): void {
  const lines = listLines(root);
  const { activeElement } = document;
  const visited =
    lines.find((line) => line.contains(activeElement)) ?? lines.find((line) => line.classList.contains(CURRENT));
  const current = visited ?? lines.at(-1);
  for (const line of lines) {
    line.classList.toggle(CURRENT, line === visited);
    for (const control of line.querySelectorAll<HTMLElement>(CONTROLS)) {
      const tabIndex = line === current ? 0 : -1;
      if (control.tabIndex !== tabIndex) control.tabIndex = tabIndex;
    }
  }
}

/** Moves the focus from a line to another one; in other elements, keys keep their meaning. */
export function moveBetweenLines(root: HTMLElement, event: KeyboardEvent): void {
  const line = event.target instanceof Element ? event.target.closest<HTMLElement>(".line") : null;
  if (!line || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
  const lines = listLines(root);
  const next = findNextIndex(event.key, lines.indexOf(line), lines.length);
  if (next === undefined) return;
  event.preventDefault();
  lines[next]?.querySelector<HTMLElement>(TOGGLE)?.focus();
}

const CURRENT = "current";
const TOGGLE = ".line-toggle";
const CONTROLS = `${TOGGLE}, .link`;

/** Lines that can be unfolded, in their order. */
function listLines(root: HTMLElement): readonly HTMLElement[] {
  return [...root.querySelectorAll(TOGGLE)].flatMap(({ parentElement }) => parentElement ?? []);
}

function findNextIndex(key: string, at: number, count: number): number | undefined {
  switch (key) {
    case "ArrowUp":
      return Math.max(0, at - 1);
    case "ArrowDown":
      return Math.min(count - 1, at + 1);
    case "Home":
      return 0;
    case "End":
      return count - 1;
    default:
      return undefined;
  }
}
