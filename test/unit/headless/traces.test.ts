import assert from "node:assert/strict";
import { mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { refusal, serverForSuite } from "../../support/fake-model-server.ts";
import { freePort } from "../../support/free-port.ts";
import { calling, headless } from "../../support/headless.ts";
import { type CollectedSpan, type Collector, readSpans, startCollector } from "../../support/otel-collector.ts";
import { tempFolders } from "../../support/temp-folders.ts";

const server = serverForSuite();
const tempFolder = tempFolders();
const started: Collector[] = [];

afterEach(async () => {
  await Promise.all(started.splice(0).map((collector) => collector.close()));
});

async function collector(...given: Parameters<typeof startCollector>): Promise<Collector> {
  const one = await startCollector(...given);
  started.push(one);
  return one;
}

async function newPlace() {
  return { baseUrl: server().baseUrl, workspace: await tempFolder(), data: await tempFolder() };
}

const WRITE = calling("write_to_file", { filename: "note.txt", contents: "a secret text\n" });
const FINISH = calling("task_complete", { reason: "All done." });
const YES = ["--yes-to", "write_to_file"];

/** Spans by their place in the tree: the name of the parent, then their own. */
function listTree(spans: readonly CollectedSpan[]): string[] {
  const names = new Map(spans.map(({ spanId, name }) => [spanId, name]));
  return spans.map(({ name, parentSpanId }) =>
    parentSpanId === undefined ? name : `${names.get(parentSpanId)} > ${name}`,
  );
}

describe("traces with OpenTelemetry", function () {
  this.timeout(30_000);

  it("send a collector the run's spans by the conventions, without any text", async () => {
    const { address, spans, problems } = await collector();
    server().plan(WRITE, FINISH);
    const set = ["--json", "--set", `telemetry.otel=${address}`];
    const { end, events } = await headless(await newPlace(), "--task", "Write it.", ...YES, ...set);
    const work = spans.find(({ name }) => name.startsWith("invoke_agent"));
    const chat = spans.find(({ name }) => name === "chat fake");
    const { "gen_ai.conversation.id": id, "gen_ai.usage.input_tokens": input, ...attributes } = chat?.attributes ?? {};
    const used = events.map((event) => (event.type === "replied" ? (event.usage?.input ?? 0) : 0));
    assert.deepEqual(
      {
        ...{ end: end.reason, problems, attributes },
        tree: listTree(spans).sort(),
        isOneTrace: new Set(spans.map(({ traceId }) => traceId)).size === 1,
        isOneRun: id === work?.attributes["gen_ai.conversation.id"],
        tool: spans.find(({ name }) => name === "execute_tool write_to_file")?.attributes,
        isUsage: input === used.find((tokens) => tokens > 0),
        isSum: work?.attributes["gen_ai.usage.input_tokens"] === used.reduce((sum, tokens) => sum + tokens),
        hasText: JSON.stringify(spans).includes("secret"),
        kinds: [work?.kind, chat?.kind],
      },
      {
        ...{ end: "finished", problems: [] },
        attributes: {
          "gen_ai.operation.name": "chat",
          "gen_ai.provider.name": "127.0.0.1",
          "gen_ai.request.model": "fake",
          "gen_ai.response.model": "served-model",
          "gen_ai.response.finish_reasons": ["tool_calls"],
          "gen_ai.usage.output_tokens": 10,
          "autogpt.step": 1,
          "autogpt.cost.usd": 0,
        },
        tree: [
          "invoke_agent AutoGPT",
          "invoke_agent AutoGPT > chat fake",
          "invoke_agent AutoGPT > chat fake",
          "invoke_agent AutoGPT > execute_tool task_complete",
          "invoke_agent AutoGPT > execute_tool write_to_file",
        ],
        isOneTrace: true,
        isOneRun: true,
        tool: {
          "gen_ai.operation.name": "execute_tool",
          "gen_ai.tool.name": "write_to_file",
          "gen_ai.tool.type": "function",
          "gen_ai.tool.call.id": "1",
        },
        isUsage: true,
        isSum: true,
        hasText: false,
        kinds: [1, 3],
      },
    );
  });

  it("append lines of OTLP to a file, with texts but no key if they're asked for", async () => {
    const place = { ...(await newPlace()), apiKey: "sk-test-0123456789abcdef0123456789" };
    const file = join(place.data, "traces.jsonl");
    server().plan(calling("write_to_file", { filename: "note.txt", contents: `key ${place.apiKey}\n` }), FINISH);
    const set = ["--set", `telemetry.otel=${file}`, "--set", "telemetry.otelTexts=true"];
    await headless(place, "--task", "Write it.", ...YES, ...set);
    const text = await readFile(file, "utf8");
    const spans = text
      .trimEnd()
      .split("\n")
      .flatMap((line) => readSpans(JSON.parse(line)));
    const tool = spans.find(({ name }) => name === "execute_tool write_to_file");
    assert.deepEqual(
      {
        count: spans.length,
        hasTask: text.includes("Write it."),
        hasArguments: String(tool?.attributes["gen_ai.tool.call.arguments"]).includes("key [secret"),
        hasKey: text.includes(place.apiKey),
        mode: ((await stat(file)).mode & 0o777).toString(8),
      },
      { count: 5, hasTask: true, hasArguments: true, hasKey: false, mode: "600" },
    );
  });

  it("put a sub-agent's spans below the command that started it", async () => {
    const { address, spans } = await collector();
    server().plan(calling("start_agent", { name: "Writer", task: "Say hi." }), FINISH, FINISH);
    await headless(await newPlace(), "--task", "Ask.", "--continuous", "9", "--set", `telemetry.otel=${address}`);
    assert.deepEqual(
      listTree(spans)
        .filter((line) => line.includes("invoke_agent Writer"))
        .sort(),
      [
        "execute_tool start_agent > invoke_agent Writer",
        "invoke_agent Writer > chat fake",
        "invoke_agent Writer > execute_tool task_complete",
      ],
    );
  });

  it("leave a run alone whose collector is down, with one line about it", async () => {
    server().plan(WRITE, FINISH);
    const address = `http://127.0.0.1:${await freePort()}`;
    const run = await headless(await newPlace(), "--task", "Write it.", ...YES, "--set", `telemetry.otel=${address}`);
    assert.deepEqual(
      { end: run.end.reason, lines: run.stderr.split("\n").filter((line) => line.includes("Traces")).length },
      { end: "finished", lines: 1 },
    );
  });

  it("mark what failed, and belong to one conversation after the run is resumed", async () => {
    const { address, spans } = await collector();
    const place = await newPlace();
    const set = ["--json", "--set", `telemetry.otel=${address}`];
    server().plan(refusal(401, "Wrong key."));
    const first = await headless(place, "--task", "End.", ...set);
    server().plan(calling("execute_shell", { command_line: "exit 3" }), FINISH);
    const [event] = first.events;
    const id = event?.type === "started" ? event.id : "";
    await headless(place, "--resume", id, "--yes-to", "execute_shell", ...set);
    const conversations = spans.map(({ attributes }) => attributes["gen_ai.conversation.id"]);
    assert.deepEqual(
      {
        failed: spans.filter(({ error }) => error).map(({ name, attributes }) => [name, attributes["error.type"]]),
        works: spans.filter(({ name }) => name.startsWith("invoke_agent")).length,
        conversations: [...new Set(conversations)].filter((one) => one !== undefined),
      },
      {
        failed: [
          ["chat fake", "failed"],
          ["invoke_agent AutoGPT", "failed"],
          ["execute_tool execute_shell", "program_failed"],
        ],
        works: 2,
        conversations: [id],
      },
    );
  });

  it("don't follow a collector's redirect", async () => {
    const other = await collector();
    const { address } = await collector({ status: 307, location: `${other.address}/v1/traces` });
    server().plan(FINISH);
    const run = await headless(await newPlace(), "--task", "End.", "--set", `telemetry.otel=${address}`);
    assert.deepEqual({ end: run.end.reason, followed: other.headers.length }, { end: "finished", followed: 0 });
  });

  it("aren't turned on by a workspace, nor by a variable of OpenTelemetry", async () => {
    const { address, headers } = await collector();
    const place = await newPlace();
    await mkdir(join(place.workspace, ".vscode"));
    const settings = JSON.stringify({ "autogpt.telemetry.otel": address });
    await writeFile(join(place.workspace, ".vscode", "settings.json"), settings);
    server().plan(FINISH);
    process.env.OTEL_EXPORTER_OTLP_ENDPOINT = address;
    const { end } = await headless(place, "--task", "End.");
    delete process.env.OTEL_EXPORTER_OTLP_ENDPOINT;
    assert.deepEqual({ end: end.reason, requests: headers.length }, { end: "finished", requests: 0 });
  });

  for (const target of ["http://example.com", "traces.jsonl", "https://me:pass@example.com", "ftp://127.0.0.1/a"])
    it(`say why nothing is written to ${target}`, async () => {
      server().plan(FINISH);
      const run = await headless(await newPlace(), "--task", "End.", "--set", `telemetry.otel=${target}`);
      assert.deepEqual(
        { end: run.end.reason, isSaid: run.stderr.includes(`autogpt.telemetry.otel can't be ${target}, so`) },
        { end: "finished", isSaid: true },
      );
    });
});
