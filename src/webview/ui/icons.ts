import { html, svg, type TemplateResult } from "lit/html.js";

/** Strokes on a 16 by 16 grid. */
const ICONS = {
  accept: svg`<path d="M3 8.5l3.2 3.2L13 4.8"/>`,
  add: svg`<path d="M8 3v10M3 8h10"/>`,
  ask: svg`<path d="M2.5 3.5h11v7h-6l-3 2.5v-2.5h-2z"/><path d="M8 9v.01M6.9 5.9c.2-1.2 2.3-1.1 2.2.2 0 .8-1.1.8-1.1 1.6"/>`,
  back: svg`<path d="M7 3.5L2.5 8 7 12.5M2.5 8h11"/>`,
  beaker: svg`<path d="M6 2.5v4L2.8 12.2c-.4.7 0 1.3.7 1.3h9c.7 0 1.1-.6.7-1.3L10 6.5v-4M5 2.5h6M4.8 9.5h6.4"/>`,
  chevron: svg`<path d="M4 6l4 4 4-4"/>`,
  close: svg`<path d="M4 4l8 8M12 4l-8 8"/>`,
  compact: svg`<path d="M8 2v4M6 4l2 2 2-2M8 14v-4M6 12l2-2 2 2M3 8h10"/>`,
  continuous: svg`<path d="M4.5 5.5a2.5 2.5 0 000 5c2.5 0 4.5-5 7-5a2.5 2.5 0 010 5c-2.5 0-4.5-5-7-5z"/>`,
  down: svg`<path d="M8 3v10M3.5 8.5L8 13l4.5-4.5"/>`,
  edit: svg`<path d="M3 13l.6-2.8L10.7 3.1a1.3 1.3 0 012.2 2.2L5.8 12.4z"/>`,
  file: svg`<path d="M4 2.5h5l3 3v8H4zM9 2.5v3h3"/>`,
  flag: svg`<path d="M4 13.5v-11h8l-2 3 2 3H4"/>`,
  folded: svg`<path d="M6 3.5L10.5 8 6 12.5"/>`,
  key: svg`<circle cx="5" cy="10.5" r="2.5"/><path d="M6.8 8.7l6-6M10.3 5.2l2 2"/>`,
  export: svg`<path d="M8 9.5v-7M5 5.5l3-3 3 3M3 10v3.5h10V10"/>`,
  external: svg`<path d="M9 2.5h4.5V7M13.5 2.5L7.5 8.5M11.5 9v4.5h-9v-9H7"/>`,
  fork: svg`<circle cx="4.5" cy="3.5" r="1.5"/><circle cx="11.5" cy="3.5" r="1.5"/><circle cx="8" cy="12.5" r="1.5"/><path d="M4.5 5v1.5c0 1 .5 1.5 1.5 1.5h4c1 0 1.5-.5 1.5-1.5V5M8 8v3"/>`,
  list: svg`<path d="M2.5 4h1M5.5 4h8M2.5 8h1M5.5 8h8M2.5 12h1M5.5 12h8"/>`,
  mention: svg`<circle cx="8" cy="8" r="2.2"/><path d="M10.2 5.8v3a1.6 1.6 0 003.3 0V8A5.5 5.5 0 1011 12.6"/>`,
  mirror: svg`<path d="M13 8A5 5 0 113.5 6M3.5 2.5V6H7"/>`,
  model: svg`<rect x="4" y="4" width="8" height="8" rx="1"/><path d="M6 4V2M10 4V2M6 14v-2M10 14v-2M4 6H2M4 10H2M14 6h-2M14 10h-2"/>`,
  more: svg`<circle cx="3" cy="8" r=".6"/><circle cx="8" cy="8" r=".6"/><circle cx="13" cy="8" r=".6"/>`,
  next: svg`<path d="M6 3.5L10.5 8 6 12.5"/>`,
  pause: svg`<path d="M5.5 3.5v9M10.5 3.5v9"/>`,
  play: svg`<path d="M4.5 3l8 5-8 5z"/>`,
  previous: svg`<path d="M10 3.5L5.5 8l4.5 4.5"/>`,
  refuse: svg`<circle cx="8" cy="8" r="5.5"/><path d="M4.2 4.2l7.6 7.6"/>`,
  send: svg`<path d="M2.5 13.5L14 8 2.5 2.5 4.5 8zM4.5 8H9"/>`,
  shield: svg`<path d="M8 1.8l5 1.7v4c0 3-2 5.4-5 6.7-3-1.3-5-3.7-5-6.7v-4z"/><path d="M8 5v3.5M8 10.8v.01"/>`,
  stop: svg`<rect x="4" y="4" width="8" height="8" rx="1"/>`,
  terminal: svg`<path d="M2.5 3.5h11v9h-11zM5 6.5l2 1.7L5 10M8.5 10.3H11"/>`,
  unfolded: svg`<path d="M3.5 6L8 10.5 12.5 6"/>`,
  up: svg`<path d="M8 13V3M3.5 7.5L8 3l4.5 4.5"/>`,
  user: svg`<circle cx="8" cy="5.5" r="2.5"/><path d="M3 13.5c.3-3 2.2-4.5 5-4.5s4.7 1.5 5 4.5"/>`,
  walk: svg`<path d="M3.5 3v10M7 3l6.5 5L7 13z"/>`,
  warning: svg`<path d="M8 2.5l6 11H2zM8 6.5v3.5M8 12v.01"/>`,
  working: svg`<path d="M8 2.5A5.5 5.5 0 1 0 13.5 8"/>`,
} as const;

export type IconName = keyof typeof ICONS;

/** A drawing next to a text with the same meaning; screen readers ignore it. */
export function icon(name: IconName, tone = ""): TemplateResult {
  return html`<svg class="icon ${tone} ${name === "working" ? "spins" : ""}" viewBox="0 0 16 16" aria-hidden="true">
    ${ICONS[name]}
  </svg>`;
}
