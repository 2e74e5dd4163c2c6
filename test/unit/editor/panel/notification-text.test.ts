import assert from "node:assert/strict";
import { createPreparedCall } from "../../../../src/core/commands/command.ts";
import type { ApprovalReason } from "../../../../src/core/ports/approver.ts";
import { NO_THOUGHTS } from "../../../../src/core/reply/reply.ts";
import {
  createApprovalNotice,
  formatDisplayLine,
  getAskerName,
  pickLine,
} from "../../../../src/editor/panel/notification-text.ts";
import { measureChangeSize } from "../../../../src/editor/review/change-figures.ts";

const PROPOSAL = {
  kind: "proposal",
  thoughts: NO_THOUGHTS,
  call: { name: "delete_file", args: { filename: "a \u202e](b).js" } },
} as const;
const WHY: ApprovalReason = { rule: "shell", reason: "It runs a program.", sensitive: false, sources: [] };

function hosted(worksFor?: string) {
  return {
    folder: "/work",
    run: {
      state: { task: "Hidden quick", profile: { name: "Tester" }, ...(worksFor === undefined ? {} : { worksFor }) },
    },
  };
}

function notice(shell: string | undefined, more: { cwd?: string; why?: Partial<ApprovalReason> } = {}) {
  const { cwd, why } = more;
  const call = createPreparedCall("run", shell ?? "", async () => ({ status: "done", output: "" }), {
    ...(shell === undefined ? {} : { shell }),
    ...(cwd === undefined ? {} : { cwd }),
  });
  return createApprovalNotice(hosted(), { proposal: PROPOSAL, prepared: call, why: { ...WHY, ...why } });
}

/** The notification about a change of one file. */
function changeNotice(change: { before?: string; after: string }, worksFor?: string) {
  const done = async () => ({ status: "done", output: "" }) as const;
  const preview = { kind: "change", file: "src/cart.js", target: "/work/src/cart.js", ...change } as const;
  const prepared = { ...createPreparedCall("write", "", done), preview };
  const figures = measureChangeSize({ before: change.before, proposed: change.after });
  return createApprovalNotice(hosted(worksFor), { proposal: PROPOSAL, prepared }, figures);
}

describe("a text in a quick pick", () => {
  it("has no icons, which could look like a sign of the editor", () => {
    assert.equal(pickLine("$(verified) user $(sync~spin) $(npm bin)"), "\\$(verified) user \\$(sync~spin) $(npm bin)");
  });
});

describe("a line for a notification", () => {
  it("has no links and no line breaks, and shows hidden characters", () => {
    assert.equal(
      formatDisplayLine("See [this](command:evil)\nand\u202e that\u0007\u3164."),
      "See [this] (command:evil) and⟨U+202E⟩ that ⟨U+3164⟩.",
    );
  });

  it("is cut to what VS Code shows", () => {
    const line = formatDisplayLine("a".repeat(700));

    assert.deepEqual({ length: line.length, end: line.at(-1) }, { length: 600, end: "…" });
  });
});

describe("a notification about a proposal", () => {
  it("can approve a short plain line, and names the folder unless it is the run's own", () => {
    assert.deepEqual(
      { own: notice("npm test"), other: notice("npm test", { cwd: "/work/app" }) },
      {
        own: { text: "Hidden quick: run this command? npm test", approvable: true },
        other: { text: "Hidden quick: run this command in /work/app? npm test", approvable: true },
      },
    );
  });

  it("says what would be done, to which file, by how much and in which run", () => {
    assert.deepEqual(
      {
        edit: changeNotice({ before: "a\nb\n", after: "a\nc\n" }).text,
        create: changeNotice({ after: "a\n" }).text,
        agent: changeNotice({ after: "a\n" }, "run").text,
        other: notice(undefined).text,
      },
      {
        edit: "Edit src/cart.js? +1 −1 · Hidden quick",
        create: "Create src/cart.js? +1 −0 · Hidden quick",
        agent: 'Create src/cart.js? +1 −0 · Agent "Tester"',
        other: "Delete a ⟨U+202E⟩] (b).js? · Hidden quick",
      },
    );
  });

  it("can't approve what it doesn't show, or what its card warns about", () => {
    const approvable = {
      noLine: notice(undefined).approvable,
      longLine: notice("x".repeat(500)).approvable,
      markup: notice("echo [a](b)").approvable,
      hiddenFolder: notice("npm test", { cwd: "/work/\u202ea" }).approvable,
      sensitive: notice("npm test", { why: { sensitive: true } }).approvable,
      influenced: notice("npm test", { why: { sources: [{ kind: "web", name: "https://a.example/" }] } }).approvable,
    };

    assert.deepEqual(approvable, {
      noLine: false,
      longLine: false,
      markup: false,
      hiddenFolder: false,
      sensitive: false,
      influenced: false,
    });
  });

  it("names a sub-agent, so that it isn't mistaken for its parent", () => {
    assert.deepEqual(
      { parent: getAskerName(hosted()), agent: getAskerName(hosted("run")) },
      { parent: "AutoGPT", agent: 'Agent "Tester"' },
    );
  });
});
