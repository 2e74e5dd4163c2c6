import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { tempFolders } from "../../support/temp-folders.ts";

const ROOT = path.join(import.meta.dirname, "../../..");

/** Something new in one definition, and the files that don't compile until they handle it. */
interface Addition {
  /** A word of its errors. */
  readonly name: string;
  /** The definition, and the text in it that the addition goes in front of. */
  readonly file: string;
  readonly before: string;
  readonly text: string;
  readonly places: readonly string[];
}

const ADDITIONS: Readonly<Record<string, Addition>> = {
  "an event": {
    name: "starred",
    file: "schema/events.ts",
    before: "  over: { end: RunEndSchema },",
    text: "  starred: { ...Step },",
    places: [
      "core/events/run-state.ts",
      "core/prompt/history.ts",
      "headless/display.ts",
      "editor/panel/feed.ts",
      "editor/panel/side-events.ts",
      "runs/export/account.ts",
      "runs/replay/tape.ts",
      "runs/store/fork-events.ts",
      "runs/store/run-summary.ts",
      "webview/run/notes.ts",
    ],
  },
  "a message to the panel": {
    name: "applauded",
    file: "schema/panel-messages.ts",
    before: "  setupChanged: {},",
    text: "  applauded: {},",
    places: ["webview/app/receive.ts"],
  },
  "a message from the panel": {
    name: "askAnother",
    file: "schema/panel-messages.ts",
    before: "  ready: {},",
    text: "  askAnother: { text: Text },",
    places: ["vscode/panel/panel-requests.ts"],
  },
  "a button of the panel": {
    name: "celebrate",
    file: "schema/panel-values.ts",
    before: '  "showLog",',
    text: '  "celebrate",',
    places: ["vscode/panel/panel-requests.ts", "webview/ui/buttons.ts"],
  },
  "a button of the card": {
    name: "postpone",
    file: "schema/card-buttons.ts",
    before: "  saveAndReviewAgain: {",
    text: '  postpone: { place: () => "more", isShown: isReady, needs: "nothing", decides: false },',
    places: ["editor/review/card-handlers.ts", "webview/approval/card-button-face.ts"],
  },
  "a model provider": {
    name: "anthropic",
    file: "schema/settings.ts",
    before: '"openai", "azure", "vscode"], { default: "auto" }',
    text: '"anthropic", ',
    places: ["models/providers.ts"],
  },
  "a memory store": {
    name: "redis",
    file: "memory/stores.ts",
    before: '"local";',
    text: '"redis" | ',
    places: ["memory/stores.ts"],
  },
  "a setting without a description": {
    name: "Property 'description' is missing",
    file: "schema/settings.ts",
    before: '  "model.baseUrl": {',
    text: '  "run.maxPets": { type: text, scope: "application", group: "run", host: "both" },',
    places: ["schema/settings.ts"],
  },
};

describe("the compiler", function () {
  this.timeout(180_000);
  const tempFolder = tempFolders();
  let errors: readonly string[] = [];

  before(async () => {
    const folder = await tempFolder();
    fs.cpSync(path.join(ROOT, "src"), path.join(folder, "src"), { recursive: true });
    fs.symlinkSync(path.join(ROOT, "node_modules"), path.join(folder, "node_modules"), "junction");
    for (const { file, before, text } of Object.values(ADDITIONS)) addTo(path.join(folder, "src", file), before, text);
    errors = await compile(folder);
  });

  for (const [what, { name, places }] of Object.entries(ADDITIONS)) {
    it(`names every place that doesn't handle ${what}`, () => {
      const found = errors.filter((error) => error.includes(name)).map((error) => error.slice(0, error.indexOf("(")));
      assert.deepEqual(
        places.filter((place) => !found.includes(`src/${place}`)),
        [],
        errors.join("\n"),
      );
    });
  }
});

function addTo(file: string, before: string, text: string): void {
  const source = fs.readFileSync(file, "utf8");
  assert.equal(source.split(before).length, 2, `${file} must have this once: ${before}`);
  const end = text.endsWith(" ") ? "" : "\n";
  fs.writeFileSync(
    file,
    source.replace(before, () => `${text}${end}${before}`),
  );
}

/** Errors of a copy of the sources, each with all of its lines. */
async function compile(folder: string): Promise<readonly string[]> {
  const root = JSON.parse(fs.readFileSync(path.join(ROOT, "tsconfig.json"), "utf8"));
  const compilerOptions = { ...root.compilerOptions, noErrorTruncation: true };
  fs.writeFileSync(path.join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["src"] }));
  const tsc = path.join(ROOT, "node_modules/typescript/bin/tsc");
  const { stdout } = await promisify(execFile)(process.execPath, [tsc, "-p", ".", "--pretty", "false"], {
    cwd: folder,
    maxBuffer: 64 * 1024 * 1024,
  }).catch((error: { stdout?: string }) => ({ stdout: error.stdout ?? "" }));
  return stdout.split(/\n(?=src\/)/);
}
