import assert from "node:assert/strict";
import { EmbeddingError } from "../../../../src/memory/embedding/embedder.ts";
import { createProviderEmbedder, type EmbeddingUsage } from "../../../../src/memory/embedding/provider-embedder.ts";

const { signal } = new AbortController();

/** What comes of one text, or two, when the server answers so. */
async function embedded(answer: unknown, texts: readonly string[] = ["one"]) {
  const used: EmbeddingUsage[] = [];
  const embedder = createProviderEmbedder({
    id: "x",
    model: "embed-small",
    request: async () => {
      if (answer instanceof Error) throw answer;
      return answer;
    },
    reportUsage: (usage) => used.push(usage),
  });
  try {
    const vectors = await embedder.embed(texts, signal);
    return { vectors: vectors.map((vector) => [...vector]), used };
  } catch (error) {
    return error instanceof EmbeddingError ? { about: error.about, said: error.message } : { error };
  }
}

const failed = (status: number) => Object.assign(new Error("no such thing"), { status });

describe("the embedder of a model service", () => {
  it("puts vectors in the order of the texts and reports what they cost", async () => {
    const data = [
      { index: 1, embedding: [3, 4] },
      { index: 0, embedding: [1, 2] },
    ];
    assert.deepEqual(await embedded({ data, usage: { total_tokens: 5 } }, ["one", "two"]), {
      vectors: [
        [1, 2],
        [3, 4],
      ],
      used: [{ model: "embed-small", tokens: 5 }],
    });
  });

  it("takes vectors in base64", async () => {
    const embedding = Buffer.from(Float32Array.from([0.5, 2]).buffer).toString("base64");
    assert.deepEqual(await embedded({ data: [{ embedding }] }), { vectors: [[0.5, 2]], used: [] });
  });

  for (const [what, answer] of Object.entries({
    nothing: undefined,
    "a page": "<html>",
    "too few": { data: [] },
    "words for numbers": { data: [{ embedding: ["a"] }] },
    "an empty vector": { data: [{ embedding: [] }] },
  })) {
    it(`says so when it is sent ${what}`, async () => {
      const seen = await embedded(answer);
      assert.equal(seen.about, "service");
      assert.match(seen.said ?? "", /isn't one list of numbers/);
    });
  }

  it("says so when two vectors claim the same place", async () => {
    const data = [
      { index: 0, embedding: [1] },
      { index: 0, embedding: [2] },
    ];
    assert.equal((await embedded({ data }, ["one", "two"])).about, "service");
  });

  for (const [status, about] of [
    [400, "text"],
    [401, "setup"],
    [404, "setup"],
    [429, "service"],
    [500, "service"],
  ] as const) {
    it(`blames the ${about} for a ${status}`, async () => {
      assert.equal((await embedded(failed(status))).about, about);
    });
  }
});

describe("asking a model service for vectors", () => {
  it("asks for texts without line ends", async () => {
    const inputs: unknown[] = [];
    const request = async ({ input }: { readonly input: readonly string[] }) => {
      inputs.push(...input);
      return { data: [{ embedding: [1] }] };
    };
    await createProviderEmbedder({ id: "x", model: "m", request }).embed(["a\nb"], signal);
    assert.deepEqual(inputs, ["a b"]);
  });

  it("stops with the signal's reason", async () => {
    const stop = new AbortController();
    const request = (_: unknown, { signal }: { signal: AbortSignal }) =>
      new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    const embedder = createProviderEmbedder({
      id: "x",
      model: "m",
      request: (body, own) => request(body, { signal: own }),
    });
    const asked = embedder.embed(["one"], stop.signal);
    stop.abort(new Error("enough"));
    await assert.rejects(asked, /enough/);
  });
});
