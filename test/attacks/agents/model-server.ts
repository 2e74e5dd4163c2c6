import { once } from "node:events";
import { createServer } from "node:http";
import { json } from "node:stream/consumers";
import { type Attack, type Call, PAGE, SUB_TASK } from "../attack.ts";

/** A model server on loopback that calls what an attack calls. */
export interface AttackModel {
  readonly baseUrl: string;
  /** Everything that was sent to it. */
  readonly shown: string;
  play(attack: Attack): void;
}

/** Starts the server of a model that obeys whoever attacks. */
export async function attackModel(): Promise<AttackModel> {
  let shown: string[] = [];
  let scripts: { main: Call[]; sub: Call[] } = { main: [], sub: [] };
  const server = createServer(async (request, response) => {
    const body = JSON.stringify(await json(request));
    shown.push(body);
    const next = (isOfSub(body) ? scripts.sub : scripts.main).shift() ?? DONE;
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end(streamed(next));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" && address ? address.port : 0;
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    get shown() {
      return shown.join("\n");
    },
    play({ calls, page, needs, subAgent = [] }) {
      const reading =
        page === undefined || needs !== undefined ? [] : [{ command: "browse_website", args: { url: PAGE } }];
      shown = [];
      scripts = { main: [...reading, ...calls], sub: [...subAgent] };
    },
  };
}

/** A sub-agent's requests have its task before all replies; those of its parent have it in one. */
function isOfSub(body: string): boolean {
  const task = body.indexOf(SUB_TASK);
  const reply = body.indexOf('"role":"assistant"');
  return task >= 0 && (reply < 0 || task < reply);
}

const DONE: Call = { command: "task_complete", args: { reason: "done" } };

function streamed({ command, args }: Call): string {
  const thoughts = { text: `Next I use ${command}.`, reasoning: "", plan: "", criticism: "", speak: "" };
  const call = {
    index: 0,
    id: "call_1",
    type: "function",
    function: { name: command, arguments: JSON.stringify({ thoughts, ...args }) },
  };
  const chunks = [
    { choices: [{ index: 0, delta: { tool_calls: [call] }, finish_reason: null }] },
    { choices: [{ index: 0, delta: {}, finish_reason: "tool_calls" }] },
    { choices: [], usage: { prompt_tokens: 50, completion_tokens: 10, total_tokens: 60 } },
  ];
  return [...chunks.map((chunk) => JSON.stringify(chunk)), "[DONE]"].map((data) => `data: ${data}\n\n`).join("");
}
