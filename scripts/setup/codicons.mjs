// The panel's icons: names of ours with the codicons that draw them. `npm run generate` writes their paths into the panel.
import fs from "node:fs";
import { inRoot } from "./root.mjs";

const ICONS = {
  accept: "check",
  add: "add",
  ask: "comment-discussion",
  attach: "attach",
  back: "arrow-left",
  beaker: "beaker",
  chevron: "chevron-down",
  close: "close",
  compact: "fold",
  continuous: "run-all",
  down: "arrow-down",
  edit: "edit",
  export: "export",
  external: "link-external",
  file: "file",
  flag: "flag",
  folded: "chevron-right",
  folder: "folder",
  fork: "git-branch",
  git: "source-control",
  history: "history",
  key: "key",
  link: "link",
  list: "list-unordered",
  mention: "mention",
  mirror: "sparkle",
  model: "chip",
  more: "ellipsis",
  next: "chevron-right",
  pause: "debug-pause",
  picture: "file-media",
  play: "play",
  previous: "chevron-left",
  refuse: "circle-slash",
  selection: "list-selection",
  send: "send",
  shield: "shield",
  stop: "debug-stop",
  terminal: "terminal",
  unfolded: "chevron-down",
  up: "arrow-up",
  user: "account",
  walk: "debug-step-over",
  warning: "warning",
  working: "loading",
};

/** The source of the module with the icons' paths. */
export function codiconsModule() {
  const rows = Object.entries(ICONS).map(([name, codicon]) => `  ${name}: ${JSON.stringify(pathOf(codicon))},`);
  const large = Object.entries(ICONS).filter(([, codicon]) => gridOf(codicon) !== 16);
  return `// Written by npm run generate from @vscode/codicons, see scripts/setup/codicons.mjs.

/** The paths of the icons on a grid of 16 by 16, unless they have another one. */
export const ICON_PATHS = {
${rows.join("\n")}
} as const;

/** The grids of the other icons. */
export const ICON_GRIDS: Partial<Record<keyof typeof ICON_PATHS, number>> = { ${large
    .map(([name, codicon]) => `${name}: ${gridOf(codicon)}`)
    .join(", ")} };
`;
}

function svgOf(codicon) {
  return fs.readFileSync(inRoot(`node_modules/@vscode/codicons/src/icons/${codicon}.svg`), "utf8");
}

function gridOf(codicon) {
  return Number(/ viewBox="0 0 (\d+) \1"/.exec(svgOf(codicon))?.[1]);
}

function pathOf(codicon) {
  const svg = svgOf(codicon);
  const paths = [...svg.matchAll(/<path [^>]*?\bd="([^"]+)"/g)].map(([, path]) => path);
  const shapes = svg.match(/<(?!svg|path|\/)\w+/g) ?? [];
  if (paths.length === 0 || shapes.length > 0 || svg.includes("fill-rule"))
    throw new Error(`${codicon} can't be drawn as one path.`);
  return paths.join("");
}
