import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { availableParallelism } from "node:os";
import { createCommandSet } from "../../src/core/commands/command-set.ts";
import type { ReplyFormat } from "../../src/core/ports/model.ts";
import { FormatChoice } from "../../src/core/reply/formats.ts";
import { openAiModel } from "../../src/models/providers/openai.ts";
import type { Api } from "../../src/schema/dialect.ts";
import { fakeCommands } from "../support/fake-commands.ts";
import { type PythonServer, startServer } from "../support/python-servers.ts";
import { ofType, rehearse } from "../support/rehearsal.ts";
import { NO_LIMITS } from "../support/sample-run.ts";

const VARIABLE = "AUTOGPT_LLAMA_SERVER";
const WINDOW = 6_144;
const STEPS = 8;
const TASK = "Read the notes with the titles 1, 2, 3, 4, 5, 6, 7, 8 and 9 in this order, one in each step.";

/** What the server says of a request that it refused, a line each. */
const REFUSED = /^.*\b(?:4\d\d|5\d\d)\b.*$/;

describe("llama.cpp's own server", function () {
  this.timeout(1_200_000);
  let server: PythonServer | undefined;

  before(async function () {
    const program = process.env[VARIABLE] ?? "llama-server";
    const weights = process.env.AUTOGPT_GGUF;
    if (weights === undefined || !starts(program)) {
      console.log(
        `      Skipped: no llama-server or no weights. Build llama.cpp, and name its server in ${VARIABLE} and weights in AUTOGPT_GGUF.`,
      );
      return this.skip();
    }
    server = await startServer(
      program,
      (port) => [
        ...["--model", weights, "--alias", "small", "--jinja", "--parallel", "1"],
        ...["--ctx-size", String(WINDOW), "--threads", String(availableParallelism())],
        ...["--host", "127.0.0.1", "--port", String(port)],
      ],
      { path: "/health" },
    );
  });

  after(() => server?.close());

  for (const api of ["chat", "responses", "messages"] as const satisfies readonly Api[])
    for (const format of ["tools", "jsonSchema"] as const satisfies readonly ReplyFormat[])
      it(`takes a run of eight steps over the API "${api}", in the format ${format}`, async () => {
        assert.ok(server);
        const notices: string[] = [];
        const model = openAiModel({
          ...{ baseUrl: server.baseUrl, apiKey: "", model: "small", contextWindow: WINDOW },
          ...{ timeoutSeconds: 300, temperature: 0, api },
        });
        const { log, end } = await rehearse({
          answers: [],
          start: {
            ...{ task: TASK, profile: { name: "Reader", role: "a careful reader of notes", goals: [TASK] } },
            model: { smart: "small", fast: "small", contextWindow: WINDOW },
            limits: { ...NO_LIMITS, steps: STEPS, replies: STEPS },
          },
          thinking: {
            model,
            formats: new FormatChoice([format]),
            thoughts: "short",
            notice: (text) => void notices.push(JSON.stringify(text)),
          },
          // Small models ask for their own convenience. No person is there.
          parts: { commands: createCommandSet(fakeCommands([])) },
        });
        const replied = ofType(log.events, "replied");
        console.log(
          `      ${replied.map(({ reply, usage }) => `${reply.kind} (${usage?.input}, ${usage?.cached} cached)`).join(", ")}; ${end.reason}`,
        );
        assert.deepEqual(
          {
            hasEnded: ["finished", "exhausted", "stuck"].includes(end.reason),
            // A small model also writes what can't be read.
            readable: replied.filter(({ reply }) => reply.kind === "proposal").length >= replied.length / 2,
            // A reply that is given up is estimated, once: calls aren't forced after it.
            estimated: replied.filter(({ usage }) => !usage || usage.isEstimate).length <= 1,
            refusals: notices.filter((text) => REFUSED.test(text)),
          },
          { hasEnded: true, readable: true, estimated: true, refusals: [] },
          JSON.stringify(end),
        );
      });
});

function starts(program: string): boolean {
  try {
    execFileSync(program, ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}
