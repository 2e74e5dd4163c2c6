import assert from "node:assert/strict";
import { describeLateProblems } from "../../../../src/commands/code/language-services.ts";
import type { FoundProblems, Problem, Problems } from "../../../../src/core/ports/workspace.ts";
import { CONTENT } from "../../../support/machine-parts.ts";
import { plantedBenches } from "../../../support/planted-bench.ts";

const WARNING: Problem = { label: "a.ts", line: 9, severity: "warning", message: "Unused.", source: "ts" };
const ERROR: Problem = { label: "a.ts", line: 3, severity: "error", message: "No such name.", source: "" };

/** Language services that always complain of the same, and soon find other problems after a change. */
function services(known: readonly Problem[] | undefined, found?: FoundProblems): Problems {
  return {
    ...CONTENT,
    list: async () => known,
    ...(found ? { findProblemsAfterChange: async () => found } : {}),
  };
}

describe("problems of the editor", () => {
  const planted = plantedBenches();

  it("are reported with the errors first", async () => {
    const { bench } = await planted({ "a.ts": "" }, { problems: services([WARNING, ERROR]) });
    assert.deepEqual(await bench.try("get_problems", { filename: "a.ts" }), {
      preview: { kind: "details", text: 'Look at the problems in "a.ts".' },
      outcome: {
        status: "done",
        output: "1 error, 1 warning in 1 file:\na.ts:3: error: No such name.\na.ts:9: warning: Unused. (ts)",
      },
    });
  });

  it("are reported as none, or as unknown", async () => {
    const none = await planted({}, { problems: services([]) });
    const unknown = await planted({}, { problems: services(undefined) });
    assert.deepEqual(
      [await none.bench.call("get_problems", {}), await unknown.bench.call("get_problems", {})],
      [
        { status: "done", output: "The editor shows no problems in the workspace." },
        {
          status: "failed",
          error: "There is no language service here. Run the project's own checks with execute_shell.",
        },
      ],
    );
  });

  it("are reported after the change that caused them", async () => {
    const found = async (areNew: boolean) => {
      const problems = services([], { problems: [ERROR], areNew });
      const { bench } = await planted({ "a.ts": "one\n" }, { problems });
      return bench.call("edit_file", { filename: "a.ts", search: "one", replace: "two" });
    };
    const said = (what: string) => ({
      status: "done",
      output: `Edited "a.ts" in 1 place.\nIt now reads (1 line):\n1: two\n${what}:\na.ts:3: error: No such name.`,
    });
    assert.deepEqual(
      [await found(true), await found(false)],
      [said("New problems since this change"), said("Problems the editor reports now")],
    );
  });

  it("make a remark in a prompt when they come late", () => {
    const late = (areNew: boolean, count: number) =>
      describeLateProblems({
        problems: Array.from({ length: count }, (_, line) => ({ ...WARNING, line: line + 1 })),
        areNew,
        markRead: () => undefined,
      });
    assert.deepEqual(
      [late(true, 0), late(true, 1), late(false, 12)?.split("\n").toSpliced(1, 10)],
      [
        undefined,
        "Since your last changes the editor reports new problems:\na.ts:1: warning: Unused. (ts)",
        ["In files that you changed the editor reports problems:", "… and 2 more problems."],
      ],
    );
  });

  it("are cut when there are very many", async () => {
    const many = Array.from({ length: 60 }, (_, line) => ({ ...WARNING, line: line + 1 }));
    const { bench } = await planted({}, { problems: services(many) });
    const outcome = await bench.call("get_problems", {});
    assert.equal(outcome.status === "done" && outcome.output.split("\n").at(-1), "… and 10 more problems.");
  });
});
