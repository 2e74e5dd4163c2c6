import { LLMock } from "@copilotkit/aimock";
import { createScriptedModel } from "../../src/models/demo/scripted-model.ts";
import { createAzureModel } from "../../src/models/providers/azure.ts";
import { openAiModel } from "../../src/models/providers/openai.ts";
import { fakeModelServer } from "../support/fake-model-server.ts";
import { modelContract } from "./model.contract.ts";
import { answerOf } from "./planned-reply.ts";

const COMMON = { apiKey: "test-key", model: "test-model", contextWindow: 8_000, timeoutSeconds: 60 };

modelContract("OpenAI's client and a server of our own", async () => {
  const server = await fakeModelServer();
  return {
    countsTokens: true,
    model(reply) {
      server.plan(answerOf(reply));
      return openAiModel({ ...COMMON, baseUrl: server.baseUrl });
    },
    close: () => server.close(),
  };
});

modelContract("Azure's client and a server of our own", async () => {
  const server = await fakeModelServer();
  return {
    countsTokens: true,
    model(reply) {
      server.plan(answerOf(reply));
      return createAzureModel({
        ...COMMON,
        endpoint: server.origin,
        apiVersion: "2024-10-21",
        deployment: "mine",
      });
    },
    close: () => server.close(),
  };
});

modelContract("OpenAI's client and aimock", async () => {
  const mock = new LLMock({ port: 0, logLevel: "silent" });
  await mock.start();
  return {
    countsTokens: true,
    model({ say, pace }) {
      const slow = pace === "never begins" ? { ttft: 60_000 } : { ttft: 0, tps: 4 };
      mock.clearFixtures();
      mock.on(
        { userMessage: "Hello." },
        "text" in say
          ? { content: say.text }
          : { toolCalls: [{ name: say.call.name, arguments: JSON.stringify(say.call.args) }] },
        { chunkSize: 7, ...(pace === "at once" ? {} : { streamingProfile: slow }) },
      );
      return openAiModel({ ...COMMON, baseUrl: `${mock.url}/v1` });
    },
    close: () => mock.stop(),
  };
});

modelContract("a script", async () => ({
  countsTokens: true,
  model: ({ say, pace }) =>
    createScriptedModel(
      {
        profile: { name: "", role: "", goals: [] },
        criticism: "",
        steps: ["text" in say ? say : { command: say.call }],
      },
      { tokensPerSecond: { "at once": 0, "never begins": 0.01, "never ends": 100 }[pace] },
    ),
  close: async () => undefined,
}));
