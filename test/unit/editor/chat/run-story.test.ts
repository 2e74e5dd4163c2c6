import assert from "node:assert/strict";
import type { Decision } from "../../../../src/core/ports/approver.ts";
import type { ChatPart } from "../../../../src/editor/chat/chat-parts.ts";
import { showRunInChat } from "../../../../src/editor/chat/run-story.ts";
import { type HostedRun, HostedRuns } from "../../../../src/editor/panel/hosted-runs.ts";
import { SideEvents } from "../../../../src/editor/panel/side-events.ts";
import { findPendingProposal, parseNamedProposal } from "../../../../src/editor/review/pending-decisions.ts";
import { type Answer, says } from "../../../support/fake-model.ts";
import { rehearsal } from "../../../support/rehearsal.ts";
import { sampleStart } from "../../../support/sample-run.ts";

const RUN = sampleStart().id;

/** A run whose chat shows these parts. `decide` gets its proposals. */
async function chatted(
  answers: readonly Answer[],
  decide: (step: number) => Decision | undefined = () => ({ allow: true }),
  during: (runs: HostedRuns, id: string) => void = () => undefined,
) {
  const { live, run } = await rehearsal({ answers, approver: "user" });
  const hosted: HostedRun = {
    ...{ past: [], id: run.state.id, run, live, home: "", folder: "/work" },
    sideEvents: new SideEvents(),
    dispose: async () => {},
  };
  const runs = new HostedRuns();
  runs.add(hosted);
  live.onPending(() => {
    const step = findPendingProposal(hosted)?.request.step;
    const decision = step === undefined ? undefined : decide(step);
    if (step !== undefined && decision) setImmediate(() => void live.decide(step, decision).catch(() => undefined));
  });
  const parts: ChatPart[] = [];
  live.resume();
  const telling = showRunInChat(runs, hosted, (part) => parts.push(part));
  during(runs, hosted.id);
  const end = await telling;
  await live.stop();
  return { parts, end };
}

/** The words of an answer without the escapes of its Markdown, one line per paragraph, and its buttons. */
function words(parts: readonly ChatPart[]): readonly string[] {
  return parts
    .flatMap((part) => {
      if (part.kind === "text") return [part.markdown];
      return part.kind === "button" ? [`[${part.title}]`] : [];
    })
    .map((text) => text.replace(/\\(?=[!-/:-@[-`{-~])/g, "").trim())
    .filter((text) => text !== "");
}

const READ = says("read_note", { title: "a" });
const FINISH = says("task_complete", { title: "All is read." });

/** The words of a step whose proposal is shown. */
function proposed(step: number, command: string, title: string): readonly string[] {
  return [
    `**AutoGPT needs your approval: Use ${command}**`,
    `> Step ${step}: ${command}\\\n> &nbsp;\\\n> ${command} {"title":"${title}"}`,
    ...["[Approve]", "[Reject]", "[Review]"],
  ];
}

describe("a run in the chat", () => {
  it("is shown with its thoughts, proposals, outcomes and end", async () => {
    const { parts, end } = await chatted([READ, FINISH]);
    assert.deepEqual(
      { end, words: words(parts) },
      {
        end: "finished",
        words: [
          "I want read_note.",
          ...proposed(1, "read_note", "a"),
          "✓ read_note",
          "I want task_complete.",
          "**AutoGPT needs your approval: Finish the run**",
          ...proposed(2, "task_complete", "All is read.").slice(1),
          "**Finished**",
          "All is read.",
        ],
      },
    );
  });

  it("has buttons for exactly the proposal above them", async () => {
    const { parts } = await chatted([READ, FINISH]);
    const [approve, refuse, review] = parts.filter((part) => part.kind === "button");
    const given = approve?.args[0];
    assert.deepEqual(
      {
        commands: [approve, refuse, review].map((part) => part?.command),
        named: parseNamedProposal(given),
        isSame: refuse?.args[0] === given,
        review: review?.args,
      },
      {
        commands: ["autogpt.approve", "autogpt.refuse", "autogpt.openPanel"],
        named: { runId: RUN, step: 1, hash: parseNamedProposal(given)?.hash },
        isSame: true,
        review: [RUN, 1],
      },
    );
  });

  it("marks what was rejected", async () => {
    const { parts } = await chatted([READ, FINISH], (step) =>
      step === 1 ? { allow: false, feedback: "No." } : { allow: true },
    );
    assert.equal(words(parts).includes("⊘ Use read_note — Rejected by you"), true);
  });

  it("ends the answer with a question, so that the next message can answer it", async () => {
    const { parts, end } = await chatted([says("ask_user", { title: "Which *one*?" })]);
    assert.deepEqual(
      { end, words: words(parts).slice(-3) },
      {
        end: "question",
        words: ["**AutoGPT has a question for you.**", "Which *one*?", "Answer with your next message."],
      },
    );
  });

  it("shows the proposals of an agent that works for it, under its name, and of no other run", async () => {
    const { live, run } = await rehearsal({ answers: [READ], approver: "user" });
    const asking = Promise.withResolvers<void>();
    live.onPending(() => asking.resolve());
    live.resume();
    await asking.promise;
    const agentOf = (parent: string): HostedRun => {
      const state = { ...run.state, worksFor: parent, profile: { ...run.state.profile, name: "Scout" } };
      const own = { live, run: { ...run, state } } as unknown as HostedRun;
      return { ...own, id: `agent of ${parent}`, folder: "/work" };
    };
    const { parts } = await chatted([FINISH], undefined, (runs) => {
      for (const parent of ["another", RUN]) {
        const agent = agentOf(parent);
        void runs.draft(agent, async () => undefined);
      }
    });
    await live.stop();
    const headings = words(parts).filter((text) => text.includes("needs your approval"));
    const approvals = parts.filter((part) => part.kind === "button" && part.command === "autogpt.approve");
    assert.deepEqual(
      {
        headings,
        runs: approvals.map((part) => part.kind === "button" && parseNamedProposal(part.args[0])?.runId),
      },
      {
        headings: [
          '**Agent "Scout" needs your approval: Use read_note**',
          "**AutoGPT needs your approval: Finish the run**",
        ],
        runs: [`agent of ${RUN}`, RUN],
      },
    );
  });

  it("streams thoughts as they come, once, and of no other run", async () => {
    const { parts } = await chatted([FINISH], undefined, (runs, id) => {
      const text = (piece: string) => ({ kind: "text", text: piece }) as const;
      runs.reportDelta(id, 1, text('{"thoughts":{"text":"Let me '));
      runs.reportDelta("another", 1, text('{"thoughts":{"text":"Never'));
      runs.reportDelta(id, 1, text('see [it](x)","reasoning":"not this"}'));
    });
    const markdown = parts.flatMap((part) => (part.kind === "text" ? [part.markdown] : []));
    assert.deepEqual(markdown.filter((text) => /me|see|Never|this/.test(text)).slice(0, 2), [
      "Let me ",
      "see \\[it\\]\\(x\\)",
    ]);
  });
});
