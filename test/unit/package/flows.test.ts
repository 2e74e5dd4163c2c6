import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseSync, Visitor } from "oxc-parser";
import FLOWS from "../../flows.json" with { type: "json" };
import { ROOT } from "../../host/places.ts";

/** The test that does what a user does in a flow, or why there is none. */
interface Coverage {
  readonly file: string | null;
  readonly test?: string;
  readonly reason?: string;
}

/** Tests of the panel and the editor, and of the command line, which other editors start as well. */
const UI_TESTS = /^test\/(?:panel\/.*\.panel|e2e\/.*\.e2e|integration\/.*\.test|unit\/headless\/.*\.test)\.ts$/;

/** The titles of all suites and tests in a file that run; placeholders of a template stand as they are written. */
function titlesIn(code: string): ReadonlySet<string> {
  const titles = new Set<string>();
  new Visitor({
    CallExpression({ callee, arguments: [title] }) {
      if (callee.type !== "Identifier" || !["describe", "it"].includes(callee.name)) return;
      if (title?.type === "Literal" && typeof title.value === "string") titles.add(title.value);
      if (title?.type === "TemplateLiteral") titles.add(code.slice(title.start + 1, title.end - 1));
    },
  }).visit(parseSync("titles.ts", code).program);
  return titles;
}

/** A sentence for each flow whose test isn't there, or that has neither a test nor a reason. */
function troubles(flows: Readonly<Record<string, Coverage>>, read: (file: string) => string | undefined) {
  return Object.entries(flows).flatMap(([flow, { file, test = "", reason = "" }]) => {
    if (file === null) return reason.trim() ? [] : [`${flow}: neither a test nor a reason`];
    const code = UI_TESTS.test(file) ? read(file) : undefined;
    if (code === undefined) return [`${flow}: ${file} is no file of such tests`];
    return titlesIn(code).has(test) ? [] : [`${flow}: ${file} has no test "${test}"`];
  });
}

function readSource(file: string): string | undefined {
  try {
    return readFileSync(join(ROOT, file), "utf8");
  } catch {
    return undefined;
  }
}

describe("the flows of a user", () => {
  it("have a UI test each, by its title, or a reason why there is none", () => {
    assert.deepEqual([Object.keys(FLOWS).length >= 103, troubles(FLOWS, readSource)], [true, []]);
  });

  it("are reported when their test was renamed, skipped or removed, or nothing is said", () => {
    const code = [
      'describe("a run", () => {',
      '  it("stops", () => {});',
      '  it.skip("pauses", () => {});',
      "  for (const width of WIDTHS) it(`fits $" + "{width} px`, () => {});",
      '  log("continues");',
      "});",
    ].join("\n");
    const file = "test/panel/run.panel.ts";
    const read = (name: string) => (name === file ? code : undefined);
    assert.deepEqual(
      troubles(
        {
          stop: { file, test: "stops" },
          suite: { file, test: "a run" },
          narrow: { file, test: "fits $" + "{width} px" },
          later: { file: null, reason: "There is no button yet." },
          pause: { file, test: "pauses" },
          continue: { file, test: "continues" },
          nothing: { file, test: "" },
          gone: { file: "test/panel/gone.panel.ts", test: "stops" },
          unit: { file: "test/unit/run.test.ts", test: "stops" },
          silent: { file: null, reason: " " },
        },
        read,
      ),
      [
        `pause: ${file} has no test "pauses"`,
        `continue: ${file} has no test "continues"`,
        `nothing: ${file} has no test ""`,
        "gone: test/panel/gone.panel.ts is no file of such tests",
        "unit: test/unit/run.test.ts is no file of such tests",
        "silent: neither a test nor a reason",
      ],
    );
  });
});
