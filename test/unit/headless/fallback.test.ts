import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { requestTokens } from "../../../src/core/context/tokens.ts";
import { replay } from "../../../src/runs/replay/replay.ts";
import type { AgentEvent } from "../../../src/schema/events.ts";
import { refusal, type SeenRequest, serverForSuite } from "../../support/fake-model-server.ts";
import { calling, headless } from "../../support/headless.ts";
import { ofType } from "../../support/rehearsal.ts";
import { tempFolders } from "../../support/temp-folders.ts";

const [main, small] = [serverForSuite(), serverForSuite()];
const tempFolder = tempFolders();

const FINISH = calling("task_complete", { reason: "All tidy." });
const NO_QUOTA = refusal(429, "You exceeded your current quota.", { code: "insufficient_quota" });
const OVERLOADED = { ...refusal(529, "Overloaded."), headers: { "retry-after": "7200" } };
const read = (at: number) => calling("read_file", { filename: `part-${at}.txt` });

/** A run of the model `big@main`, with `little@small` and others to take over. */
async function run(...more: readonly string[]) {
  const [workspace, data] = [await tempFolder(), await tempFolder()];
  for (let at = 0; at < 6; at++) await writeFile(join(workspace, `part-${at}.txt`), `line of part ${at}\n`.repeat(500));
  const providers = {
    main: { address: main().baseUrl, contextWindow: 64_000 },
    small: { address: small().baseUrl, contextWindow: 6_000 },
  };
  const prices = { big: { input: 1, output: 0 }, little: { input: 100, output: 0 } };
  const settings = [
    ...["model.contextWindow=0", `model.providers=${JSON.stringify(providers)}`],
    `model.prices=${JSON.stringify(prices)}`,
  ].flatMap((setting) => ["--set", setting]);
  const place = { baseUrl: main().baseUrl, workspace, data, env: { MAIN_API_KEY: "k", SMALL_API_KEY: "k" } };
  return headless(place, "--task", "Tidy.", "--model", "big@main", ...settings, "--continuous", "20", ...more);
}

describe("a run whose model can't answer any more", () => {
  for (const [trouble, answer] of [
    ["has no quota left", NO_QUOTA],
    ["is overloaded for long", OVERLOADED],
  ] as const)
    it(`continues with another one, in its smaller window and at its own price, when the first ${trouble}`, async () => {
      const [askedMain, askedSmall] = [main().requests.length, small().requests.length];
      main().plan(read(0), read(1), read(2), read(3), read(4), answer);
      small().plan(read(5), FINISH);
      const { end, events } = await run("--fallback", "little@small", "--json");
      const prompts = small()
        .requests.slice(askedSmall)
        .map(({ body }) => tokensOf(body));
      const [before, after] = [main().requests.slice(askedMain).at(-1), small().requests.at(-1)];
      const replied = ofType(events, "replied");
      const changes = ofType(events, "changed").filter(({ reason }) => reason !== undefined);
      const { differs } = await replay(events.map(withoutText));
      assert.deepEqual(
        {
          end: end.reason,
          asked: [main().requests.length - askedMain, small().requests.length - askedSmall],
          models: [before?.body.model, after?.body.model],
          fits: prompts.every((tokens) => tokens <= 6_000),
          grew: tokensOf(before?.body) > 6_000,
          prices: [
            ...new Set(replied.map(({ costUsd = 0, usage }) => Math.round((costUsd * 1e6) / (usage?.input ?? 1)))),
          ],
          windows: changes.map(({ model }) => [model?.smart, model?.contextWindow]),
          said: changes.map(({ reason = "" }) => reason.startsWith("little@small takes over for now. ")),
          differs,
        },
        {
          end: "finished",
          asked: [6, 2],
          models: ["big", "little"],
          fits: true,
          grew: true,
          prices: [1, 100],
          windows: [["little", 6_000]],
          said: [true],
          differs: undefined,
        },
      );
    });

  it("asks each model once, under whichever of its names it's named again", async () => {
    const before = main().requests.length;
    main().plan(({ body }) => (body.model === "big" ? NO_QUOTA : FINISH));
    small().plan(NO_QUOTA);
    const { end } = await run("--fallback", "big@main,big,twin@main", "--json");
    const asked = main()
      .requests.slice(before)
      .map(({ body }) => body.model);
    assert.deepEqual([end.reason, asked], ["finished", ["big", "twin"]]);
  });

  it("ends with one sentence about all of them when none answers", async () => {
    main().plan(NO_QUOTA);
    small().plan(OVERLOADED);
    const { end, stdout } = await run("--fallback", "little@small");
    const error = "error" in end ? end.error : "";
    assert.match(
      error,
      /^None of the 2 models can answer now\.\nbig: .*out of credit.*\nlittle@small: .*\nChoose a model with --model\.$/,
    );
    assert.match(stdout, /^little@small takes over for now\. ./m);
  });
});

/** A replay takes decisions as they were, without the code of their sentence. */
function withoutText(event: AgentEvent): AgentEvent {
  if (event.type !== "decided") return event;
  const { text: _text, ...rest } = event;
  return rest;
}

/** Tokens of a prompt as it was sent, about as the run counts them. */
function tokensOf(body: SeenRequest["body"]): number {
  return requestTokens({ messages: [{ role: "user", content: JSON.stringify(body.messages) }] });
}
