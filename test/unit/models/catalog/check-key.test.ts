import assert from "node:assert/strict";
import {
  checkKey,
  createKeyAnswer,
  type KeyAnswer,
  type KeyToCheck,
} from "../../../../src/models/catalog/check-key.ts";
import { writeInEnglish } from "../../../../src/texts/display-text.ts";
import {
  byPath,
  type FakeModelServer,
  fakeModelServer,
  json,
  refusal,
  type SeenRequest,
  type ServerAnswer,
  serverForSuite,
} from "../../../support/fake-model-server.ts";

const signal = new AbortController().signal;
const LIST = json(200, { data: [{ id: "large" }, { id: "small" }] });
const COMPLETION = json(200, { choices: [{ message: { role: "assistant", content: "H" } }] });

/** A server that lets nobody in without the right key, apart from public paths. */
function guarded(answers: Readonly<Record<string, ServerAnswer>>, open: readonly string[] = []) {
  return ({ path, headers }: SeenRequest): ServerAnswer => {
    const isIn = headers.authorization === "Bearer right" || headers["api-key"] === "right";
    if (!isIn && !open.includes(path)) return refusal(401, "Incorrect API key provided");
    return answers[path] ?? json(404, { detail: "Not Found" });
  };
}

/** An answer as a person reads it. */
type ShownAnswer = Omit<KeyAnswer, "text"> & { readonly text: string };

function shown(answer: KeyAnswer): ShownAnswer {
  return { ...answer, text: writeInEnglish(answer.text) };
}

async function told(server: FakeModelServer, key: string, model?: string): Promise<ShownAnswer> {
  const address = server.baseUrl;
  const checked: KeyToCheck = { service: "openai", key, address, ...(model ? { model } : {}) };
  return shown(createKeyAnswer(await checkKey(checked, signal), false));
}

describe("an API key that is entered", () => {
  const server = serverForSuite();
  const host = () => `127.0.0.1:${server().port}`;

  it("is accepted with the number of models", async () => {
    server().plan(guarded({ "/v1/models": LIST }));
    assert.deepEqual(await told(server(), "right"), {
      saves: true,
      kind: "info",
      text: "Key accepted, 2 models.",
    });
  });

  it("is rejected in the server's words", async () => {
    server().plan(guarded({ "/v1/models": LIST }));
    assert.deepEqual(await told(server(), "wrong"), {
      saves: true,
      kind: "error",
      text: `Key rejected (401) by ${host()}. It said: "Incorrect API key provided".`,
    });
  });

  for (const status of [404, 405, 501]) {
    it(`is tried with one token where the list is missing (${status})`, async () => {
      const missing = { status, pieces: [] };
      server().plan(guarded({ "/v1/models": missing, "/v1/chat/completions": COMPLETION }, ["/v1/models"]));
      assert.deepEqual(
        [await told(server(), "right", "large"), (await told(server(), "wrong", "large")).kind],
        [{ saves: true, kind: "info", text: "Key accepted." }, "error"],
      );
    });
  }

  it("is tried with one token where anyone may read the list", async () => {
    server().plan(guarded({ "/v1/models": LIST, "/v1/chat/completions": COMPLETION }, ["/v1/models"]));
    const answers = [await told(server(), "right"), await told(server(), "wrong")];
    assert.deepEqual(
      { texts: answers.map(({ text }) => text), asked: server().requests.at(-1)?.body },
      {
        texts: ["Key accepted, 2 models.", `Key rejected (401) by ${host()}. It said: "Incorrect API key provided".`],
        asked: { model: "large", messages: [{ role: "user", content: "Hi" }], max_tokens: 1 },
      },
    );
  });

  it("was accepted when the complaint is about the request", async () => {
    server().plan(guarded({ "/v1/chat/completions": refusal(400, "max_tokens is not supported") }, ["/v1/models"]));
    assert.equal((await told(server(), "right", "large")).text, "Key accepted.");
  });

  it("is saved although its server has no list and no model is known", async () => {
    server().plan(json(404, { detail: "Not Found" }));
    assert.deepEqual(await told(server(), "right"), {
      saves: true,
      kind: "warning",
      text: `API key saved. ${host()} doesn't list its models (404).`,
    });
  });

  it("is saved although its server has an error", async () => {
    server().plan(refusal(500, "Out of memory"));
    assert.deepEqual(await told(server(), "right"), {
      saves: true,
      kind: "warning",
      text: `API key saved. ${host()} returned an error (500). It said: "Out of memory".`,
    });
  });

  it("is saved although its server can't be reached", async () => {
    const dead = await fakeModelServer();
    await dead.close();
    const check = await checkKey({ service: "openai", key: "right", address: dead.baseUrl }, signal);
    assert.deepEqual(shown(createKeyAnswer(check, true)), {
      saves: true,
      kind: "warning",
      text: `API key saved. Can't reach 127.0.0.1:${dead.port}. Start the server, or use another one.`,
    });
  });

  it("follows no redirect", async () => {
    server().plan(({ path }) =>
      path === "/elsewhere" ? LIST : { status: 307, headers: { location: `${server().origin}/elsewhere` }, pieces: [] },
    );
    const before = server().requests.length;
    const { text } = await told(server(), "right");
    assert.deepEqual(
      {
        text: text.startsWith(`API key saved. ${host()} redirects to ${server().origin}/elsewhere`),
        paths: [
          ...new Set(
            server()
              .requests.slice(before)
              .map(({ path }) => path),
          ),
        ].filter((path) => path.includes("elsewhere")),
      },
      { text: true, paths: [] },
    );
  });

  it("is no longer checked once the user cancels", async () => {
    server().plan({ headersHang: true, pieces: [] });
    const canceled = AbortSignal.timeout(50);
    const checking = checkKey({ service: "openai", key: "right", address: server().baseUrl }, canceled);
    await assert.rejects(checking, { name: "TimeoutError" });
  });
});

describe("a key of another service", () => {
  const server = serverForSuite();

  it("is checked with Azure OpenAI", async () => {
    server().plan(guarded({ "/openai/models?api-version=2024-10-21": LIST }));
    const check = (key: string) =>
      checkKey({ service: "azure", key, address: server().origin, apiVersion: "2024-10-21" }, signal);
    assert.deepEqual([(await check("right")).verdict, (await check("wrong")).verdict], ["accepted", "rejected"]);
  });

  it("is checked with a Stable Diffusion web UI", async () => {
    server().plan(({ path, headers }) =>
      path === "/sdapi/v1/sd-models" && headers.authorization === `Basic ${Buffer.from("me:right").toString("base64")}`
        ? json(200, [])
        : refusal(401, "Not authenticated"),
    );
    const check = (key: string) => checkKey({ service: "stableDiffusion", key, address: server().origin }, signal);
    assert.deepEqual([(await check("me:right")).verdict, (await check("me:wrong")).verdict], ["accepted", "rejected"]);
  });

  it("is only saved where no check is cheap", async () => {
    const before = server().requests.length;
    const check = await checkKey({ service: "other", key: "k", address: server().origin }, signal);
    assert.deepEqual(
      [shown(createKeyAnswer(check, false)), server().requests.length - before],
      [{ saves: true, kind: "info", text: "API key saved." }, 0],
    );
  });
});

describe("a rejected key", () => {
  const check = {
    name: "HOST",
    verdict: "rejected",
    state: { kind: "rejected", status: 401, said: "" },
  } as const;

  it("is kept where there was none, so that the start page can show its state", () => {
    assert.deepEqual(shown(createKeyAnswer(check, false)), {
      saves: true,
      kind: "error",
      text: "Key rejected (401) by HOST.",
    });
  });

  it("never replaces another one", () => {
    assert.deepEqual(shown(createKeyAnswer(check, true)), {
      saves: false,
      kind: "error",
      text: "Key rejected (401) by HOST. The previous key is still in use.",
    });
  });

  it("isn't what a canceled check means", () => {
    assert.deepEqual(shown(createKeyAnswer(undefined, true)), {
      saves: true,
      kind: "info",
      text: "API key saved. It wasn't checked.",
    });
  });
});

describe("a public list", () => {
  const server = serverForSuite();

  it("is asked with the key only at its own address", async () => {
    server().plan(byPath({ "/v1/models": { data: [] } }));
    const before = server().requests.length;
    await checkKey({ service: "openai", key: "right", address: server().baseUrl }, signal);
    assert.deepEqual(
      [
        ...new Set(
          server()
            .requests.slice(before)
            .map(({ path, headers }) => `${path} ${headers.authorization ?? "-"}`)
            .filter((line) => line.startsWith("/v1")),
        ),
      ].toSorted(),
      ["/v1/models -", "/v1/models Bearer right"],
    );
  });
});
