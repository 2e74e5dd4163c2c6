import assert from "node:assert/strict";
import {
  describeModelSource,
  explainSourceState,
  formatSourceLabel,
  listSourceSteps,
  type SourceState,
} from "../../../../src/core/ports/model-source.ts";
import { askSource } from "../../../../src/models/catalog/ask-source.ts";
import { listModels } from "../../../../src/models/catalog/list-models.ts";
import { IN_EDITOR } from "../../../../src/models/http/endpoint.ts";
import { displayText, getErrorText, writeInEnglish } from "../../../../src/texts/display-text.ts";
import {
  byPath,
  fakeModelServer,
  json,
  refusal,
  type ServerAnswer,
  serverForSuite,
} from "../../../support/fake-model-server.ts";

/** The words of a server, quoted. */
const said = (words: string) => displayText("trouble.said", { words });

const signal = new AbortController().signal;
const listing = { apiKey: "secret-key", prices: {}, timeoutSeconds: 60 };

const ANSWERS: readonly [name: string, answer: ServerAnswer, state: SourceState][] = [
  ["an empty list", json(200, { data: [] }), { kind: "connected", models: 0 }],
  [
    "a rejected key",
    refusal(401, "Incorrect API key provided: secret-key."),
    { kind: "rejected", status: 401, said: said("Incorrect API key provided: [key]") },
  ],
  [
    "an error of the server",
    refusal(500, "Out of memory"),
    { kind: "failed", status: 500, said: said("Out of memory") },
  ],
  ["a server without a list", json(404, { detail: "Not Found" }), { kind: "unlisted", status: 404 }],
  ["a method it doesn't know", { status: 405, pieces: [] }, { kind: "unlisted", status: 405 }],
  ["a list that isn't implemented", { status: 501, pieces: [] }, { kind: "unlisted", status: 501 }],
  ["a list kept from this key", refusal(403, "Missing scopes"), { kind: "unlisted", status: 403 }],
  ["a web page", { pieces: ["<!doctype html>"] }, { kind: "noApi" }],
  ["a missing web page", { status: 404, pieces: ["<html>"] }, { kind: "noApi" }],
  [
    "a redirect",
    { status: 302, headers: { location: "https://elsewhere.example/" }, pieces: [] },
    { kind: "moved", to: "https://elsewhere.example/" },
  ],
  ["a cut connection", { pieces: ["cut!"] }, { kind: "unreachable", why: "lost" }],
];

describe("a server that is asked for its models", () => {
  const server = serverForSuite();

  for (const [name, answer, state] of ANSWERS) {
    it(`has a state for ${name}`, async () => {
      server().plan(answer);
      const asked = await askSource({ ...listing, baseUrl: server().baseUrl }, signal);
      assert.deepEqual(asked, {
        address: server().baseUrl,
        name: `127.0.0.1:${server().port}`,
        state,
        models: [],
      });
    });
  }

  it("gives its models along with its state", async () => {
    server().plan(byPath({ "/v1/models": { data: [{ id: "a" }, { id: "b" }] } }));
    const { state, models } = await askSource({ ...listing, baseUrl: server().baseUrl }, signal);
    assert.deepEqual(
      { state, names: models.map(({ name }) => name) },
      { state: { kind: "connected", models: 2 }, names: ["a", "b"] },
    );
  });

  it("that limits requests has no error, but a limit", async () => {
    server().plan(refusal(429, "You exceeded your quota."));
    const source = await askSource({ ...listing, baseUrl: server().baseUrl }, signal);
    assert.deepEqual([formatSourceLabel(source), describeModelSource({ ...source, name: "x" })].map(writeInEnglish), [
      "Limit reached (429)",
      'x is limiting requests right now (429). It said: "You exceeded your quota".',
    ]);
  });

  it("that asks for a key where none is stored needs one", async () => {
    server().plan(refusal(401, "Missing bearer token"));
    const { state } = await askSource({ ...listing, apiKey: "", baseUrl: server().baseUrl }, signal);
    assert.deepEqual(state, { kind: "noKey" });
  });

  it("is given up when it stays silent", async () => {
    server().plan({ headersHang: true, pieces: [] });
    const { state } = await askSource({ ...listing, timeoutSeconds: 0.05, baseUrl: server().baseUrl }, signal);
    assert.deepEqual(state, { kind: "silent", seconds: 0.05 });
  });

  it("is asked no longer once the user cancels", async () => {
    server().plan({ headersHang: true, pieces: [] });
    const reason = new Error("canceled");
    const canceling = AbortSignal.timeout(50);
    const asking = askSource({ ...listing, baseUrl: server().baseUrl }, canceling).catch(() => reason);
    assert.equal(await asking, reason);
  });

  it("that isn't running can't be reached", async () => {
    const dead = await fakeModelServer();
    await dead.close();
    const { state } = await askSource({ ...listing, baseUrl: dead.baseUrl }, signal);
    assert.deepEqual(state, { kind: "unreachable", why: "refused" });
  });

  it("that isn't running on a remote machine is said to be missing on that one, in the panel and in runs", async () => {
    const dead = await fakeModelServer();
    await dead.close();
    const steps = { ...IN_EDITOR, remote: "ssh-remote" };
    const { name, state } = await askSource({ ...listing, baseUrl: dead.baseUrl, steps }, signal);
    const error = await listModels({ ...listing, baseUrl: dead.baseUrl, steps }, signal).then(() => "", getErrorText);
    const advice = explainSourceState({ name, state });
    const belongs = "This address belongs to the remote machine (ssh-remote), not to your computer.";
    assert.deepEqual(
      [advice && writeInEnglish(advice), writeInEnglish(error)],
      [
        `${belongs} Start the server there, or use an address that the remote machine can reach.`,
        `Can't reach ${dead.baseUrl}. ${belongs} Start the server there, or set autogpt.model.baseUrl to an address that the remote machine can reach.`,
      ],
    );
  });
});

describe("a server that can't be asked", () => {
  const cases: readonly [name: string, more: object, state: SourceState][] = [
    ["has no key", { baseUrl: "https://models.example/v1", apiKey: "" }, { kind: "noKey" }],
    ["has a broken key", { baseUrl: "https://models.example/v1", apiKey: "“k”" }, { kind: "brokenKey" }],
    ["has no web address", { baseUrl: "models" }, { kind: "unreachable", why: "unknownHost" }],
    ["has an address of another kind", { baseUrl: "ftp://models.example" }, { kind: "badAddress" }],
  ];
  for (const [name, more, state] of cases) {
    it(name, async () => {
      const asked = await askSource({ ...listing, baseUrl: "", ...more }, signal);
      assert.deepEqual(asked.state, state);
    });
  }
});

describe("the state of a source", () => {
  const STATES: readonly SourceState[] = [
    { kind: "connected", models: 0 },
    { kind: "connected", models: 1 },
    { kind: "connected", models: 12 },
    { kind: "unlisted", status: 404 },
    { kind: "noKey" },
    { kind: "brokenKey" },
    { kind: "rejected", status: 401, said: said("No") },
    { kind: "unreachable", why: "refused" },
    { kind: "silent", seconds: 4 },
    { kind: "failed", status: 500, said: "" },
    { kind: "moved", to: "" },
    { kind: "noApi" },
    { kind: "badAddress" },
    { kind: "incomplete", setting: "autogpt.azure.endpoint" },
    { kind: "noChatModels" },
  ];

  it("is a sentence with a way out", () => {
    const told = STATES.map((state) => {
      const source = { name: "HOST", state };
      return `${writeInEnglish(describeModelSource(source))} [${listSourceSteps(source).join(", ")}]`;
    });
    assert.deepEqual(told, [
      "HOST is connected, but lists no models. [selectModel]",
      "HOST is connected and offers 1 model. [selectModel]",
      "HOST is connected and offers 12 models. [selectModel]",
      "HOST doesn't list its models (404). [selectModel]",
      "HOST needs an API key, and none is set. [setApiKey, useServer]",
      "The API key for HOST contains characters that no key has, so something else was pasted with it. [setApiKey, useServer]",
      'HOST rejected the API key (401). It said: "No". [setApiKey, useServer]',
      "Can't reach HOST. Start the server, or use another one. [useServer]",
      "HOST didn't answer within 4 seconds. [selectModel]",
      "HOST returned an error (500). [selectModel]",
      "HOST redirects to another address, and an API key is never sent there. [useServer]",
      "HOST has no OpenAI-compatible API at this address. Such addresses usually end in /v1. [useServer]",
      "The address of the model server isn't a web address like https://api.openai.com/v1. [useServer]",
      "HOST isn't set up yet: autogpt.azure.endpoint is empty. [openSettings, selectModel]",
      "The editor has no language models. Sign in to GitHub Copilot or another provider. [selectModel]",
    ]);
  });
});
