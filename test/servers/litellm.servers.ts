import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ReasoningEffort } from "../../src/core/ports/model.ts";
import { FormatChoice } from "../../src/core/reply/formats.ts";
import { openAiModel } from "../../src/models/providers/openai.ts";
import {
  callChunk,
  DONE,
  type FakeModelServer,
  fakeModelServer,
  finish,
  type SeenRequest,
  type ServerAnswer,
  stream,
} from "../support/fake-model-server.ts";
import { mistral } from "../support/family-rules.ts";
import { MessagesService, SERVED } from "../support/messages-service.ts";
import { anthropicMessages, geminiContents } from "../support/provider-rules.ts";
import { type PythonServer, pythonWith, startServer } from "../support/python-servers.ts";
import { ofType, rehearsal } from "../support/rehearsal.ts";
import { scriptedResponses } from "../support/responses-rules.ts";

type Body = SeenRequest["body"];

const VARIABLE = "AUTOGPT_LITELLM_PYTHON";
const OPENAI = "gpt-5.6-terra";
const thoughts = { text: "On I go.", reasoning: "", plan: "", criticism: "", speak: "" };

/** Providers behind the gateway, each with the name and the parameters of a model. */
const PROVIDERS = {
  anthropic: { name: "claude-sonnet-4-6", path: "", answer: anthropicMessages },
  gemini: { name: "gemini-3-pro-preview", path: "", answer: geminiContents },
  mistral: { name: "mistral-large-latest", path: "/v1", answer: mistralChat },
} as const;

function mistralChat(body: Body, { name, args }: { readonly name: string; readonly args: object }): ServerAnswer {
  const id = `call0000${body.messages.length % 10}`;
  return (
    mistral(body) ??
    stream(callChunk({ index: 0, id, name, arguments: JSON.stringify(args) }), finish("tool_calls"), DONE)
  );
}

describe("a run through the LiteLLM proxy", function () {
  this.timeout(300_000);
  let proxy: PythonServer | undefined;
  let folder = "";
  let messages: FakeModelServer;
  let responses: FakeModelServer;
  const upstream: Partial<Record<keyof typeof PROVIDERS, FakeModelServer>> = {};

  before(async function () {
    const python = pythonWith("litellm", VARIABLE);
    if (python === undefined) {
      console.log(
        `      Skipped: no LiteLLM. Install it with pip install "litellm[proxy]", and name its Python in ${VARIABLE}.`,
      );
      return this.skip();
    }
    folder = mkdtempSync(join(tmpdir(), "litellm-"));
    messages = await fakeModelServer();
    responses = await fakeModelServer();
    const rows = [
      `  - model_name: claude-opus-4-8\n    litellm_params: {model: anthropic/claude-opus-4-8, api_base: "${messages.origin}", api_key: sk-ant-test}`,
      `  - model_name: ${OPENAI}\n    litellm_params: {model: openai/${OPENAI}, api_base: "${responses.baseUrl}", api_key: k}`,
    ];
    for (const [provider, { name, path }] of Object.entries(PROVIDERS)) {
      const server = await fakeModelServer();
      upstream[provider as keyof typeof PROVIDERS] = server;
      rows.push(
        `  - model_name: ${name}\n    litellm_params: {model: ${provider}/${name}, api_base: "${server.origin}${path}", api_key: k}`,
      );
    }
    const config = join(folder, "config.yaml");
    writeFileSync(config, `model_list:\n${rows.join("\n")}\n`);
    proxy = await startServer(
      python,
      (port) => [
        ...["-c", "from litellm import run_server; run_server()"],
        ...["--config", config, "--host", "127.0.0.1", "--port", String(port)],
      ],
      {
        path: "/health/liveliness",
        env: {
          LITELLM_DANGEROUSLY_PERMIT_WEAK_OR_UNSET_MASTER_KEY: "true",
          LITELLM_LOCAL_MODEL_COST_MAP: "True",
        },
      },
    );
  });

  after(async () => {
    await proxy?.close();
    await messages?.close();
    await responses?.close();
    for (const server of Object.values(upstream)) await server.close();
    if (folder !== "") rmSync(folder, { recursive: true, force: true });
  });

  for (const [provider, { name, answer }] of Object.entries(PROVIDERS))
    for (const effort of ["auto", "low"] as const satisfies readonly ReasoningEffort[])
      it(`to ${provider} finishes, with the effort "${effort}"`, async () => {
        const server = upstream[provider as keyof typeof PROVIDERS];
        assert.ok(server && proxy);
        let refused = 0;
        let step = 0;
        const model = openAiModel({
          ...{ baseUrl: proxy.baseUrl, apiKey: "k", model: name, contextWindow: 64_000, timeoutSeconds: 60 },
          ...{ temperature: 0.2, reasoningEffort: effort },
        });
        const done = await rehearsal({
          answers: [],
          thinking: { model, formats: new FormatChoice(["tools", "text"]) },
        });
        server.plan(({ body }) => {
          const called = step < 3 ? "read_note" : "task_complete";
          const given = answer(body, { name: called, args: { thoughts, title: `note ${step}` } });
          if (given.status !== undefined && given.status >= 400) refused++;
          else step++;
          if (step === 2) void done.run.record({ type: "said", text: "Be quick.", by: "user" });
          return given;
        });
        done.live.resume();
        const end = await done.live.end;
        const replied = ofType(done.log.events, "replied");
        assert.deepEqual(
          {
            end: end.reason === "failed" ? end.error : end.reason,
            formats: replied.map(({ format }) => format),
            refused,
          },
          { end: "finished", formats: ["tools", "tools", "tools", "tools"], refused: 0 },
        );
      });

  for (const [api, effort] of [
    ["messages", "auto"],
    ["messages", "low"],
    ["responses", "auto"],
    ["responses", "low"],
    ["chat", "auto"],
    ["chat", "low"],
  ] as const)
    it(`to Anthropic finishes eight steps over the API "${api}", with the effort "${effort}"`, async () => {
      assert.ok(proxy);
      const service = new MessagesService();
      let step = 0;
      const model = openAiModel({
        ...{ baseUrl: proxy.baseUrl, apiKey: "k", model: SERVED.opus48.name, contextWindow: 64_000 },
        ...{ timeoutSeconds: 60, reasoningEffort: effort, api, cacheMinutes: "60" },
      });
      const thinking = { model, formats: new FormatChoice(["tools"]) };
      const done = await rehearsal({ answers: [], thinking });
      messages.plan((request) => {
        const name = step++ < 7 ? "read_note" : "task_complete";
        const call = {
          type: "tool_use",
          id: `toolu_${step}`,
          name,
          input: { thoughts, title: `note ${step}` },
        };
        const isOn = request.body.thinking?.type === "adaptive";
        const before = isOn ? [{ type: "thinking", thinking: `Thought ${step}.` }] : [];
        return service.answer(request, SERVED.opus48, [...before, call]);
      });
      done.live.resume();
      const end = await done.live.end;
      assert.deepEqual(
        {
          end: end.reason === "failed" ? end.error : end.reason,
          steps: ofType(done.log.events, "replied").length,
          refusals: service.refusals,
          forHour: service.uses.some(({ forHour }) => forHour > 0),
          cached: ofType(done.log.events, "replied").at(-1)?.usage?.cached === service.uses.at(-1)?.read,
        },
        // Responses have no place for Anthropic's marks.
        { end: "finished", steps: 8, refusals: [], forHour: api !== "responses", cached: true },
      );
    });

  for (const [format, effort] of [
    ["tools", "auto"],
    ["tools", "low"],
    ["jsonSchema", "auto"],
    ["text", "auto"],
  ] as const)
    it(`finishes eight steps over the API "responses", in the format ${format}, with the effort "${effort}"`, async () => {
      assert.ok(proxy);
      const rules = scriptedResponses();
      const begun = responses.requests.length;
      let step = 0;
      const model = openAiModel({
        ...{ baseUrl: proxy.baseUrl, apiKey: "k", model: OPENAI, contextWindow: 64_000 },
        ...{ timeoutSeconds: 60, reasoningEffort: effort, api: "responses" },
      });
      const thinking = { model, formats: new FormatChoice([format]) };
      const done = await rehearsal({ answers: [], thinking });
      responses.plan(({ body }) => {
        const call = {
          name: step < 7 ? "read_note" : "task_complete",
          args: { thoughts, title: `note ${step}` },
        };
        const answer = rules.answer(
          body,
          body.tools ? { calls: [call] } : { text: JSON.stringify({ thoughts, command: call }) },
        );
        if ((answer.status ?? 200) === 200) step++;
        return answer;
      });
      done.live.resume();
      const end = await done.live.end;
      const replied = ofType(done.log.events, "replied");
      assert.deepEqual(
        {
          end: end.reason === "failed" ? end.error : end.reason,
          steps: replied.length,
          formats: [...new Set(replied.map(({ format }) => format))],
          refused: rules.refused,
          overResponses: responses.requests.slice(begun).filter(({ path }) => path === "/v1/responses").length,
          counted: replied.every(({ usage }) => usage !== undefined && !usage.isEstimate),
        },
        {
          ...{ end: "finished", steps: 8, formats: [format], refused: [] },
          ...{ overResponses: 8, counted: true },
        },
      );
    });
});
