import assert from "node:assert/strict";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { makeSpeaker } from "../../../src/headless/speaker.ts";
import { IN_EDITOR } from "../../../src/models/http/endpoint.ts";
import { openAiSpeech } from "../../../src/models/media/openai-speech.ts";
import { findSoundPlayer, findSystemVoice } from "../../../src/node/speech/system-voice.ts";
import type { AgentEvent } from "../../../src/schema/events.ts";
import { serverForSuite } from "../../support/fake-model-server.ts";
import { calling, headless } from "../../support/headless.ts";
import { skipWithout } from "../../support/skips.ts";
import { tempFolders } from "../../support/temp-folders.ts";
import { webServers } from "../../support/web-server.ts";

const tempFolder = tempFolders();
const { signal } = new AbortController();

function replied(speak: string): AgentEvent {
  const thoughts = { text: "t", reasoning: "", plan: "", criticism: "", speak };
  const reply = { kind: "proposal", thoughts, call: { name: "x", args: {} } } as const;
  return {
    type: "replied",
    seq: 1,
    at: "",
    step: 1,
    format: "text",
    text: "",
    calls: [],
    finish: "stop",
    reply,
    model: "m",
  };
}

describe("thoughts that are read aloud", () => {
  it("are the sentences for the user, one at a time, the newest next, without marks and control characters", async () => {
    const said: string[] = [];
    const first = Promise.withResolvers<void>();
    const speaker = makeSpeaker(
      async (text) => {
        said.push(text);
        if (said.length === 1) await first.promise;
      },
      assert.fail,
      signal,
    );
    for (const text of ["I look\u001b[2J at `a.ts`.", "", "Skipped.", "**Done.**"]) speaker.hear(replied(text));
    const before = [...said];
    first.resolve();
    await speaker.close();
    speaker.hear(replied("Too late."));
    assert.deepEqual({ before, said }, { before: ["I look [2J at a.ts."], said: ["I look [2J at a.ts.", "Done."] });
  });

  it("end with one report when they can't be spoken, and silently when the run is stopped", async () => {
    const reports: string[] = [];
    const stop = new AbortController();
    const failing = async (): Promise<void> => {
      throw new Error("No sound card.");
    };
    for (const aborting of [signal, stop.signal]) {
      const speaker = makeSpeaker(failing, (text) => reports.push(text), aborting);
      stop.abort();
      speaker.hear(replied("One."));
      await speaker.close();
      speaker.hear(replied("Two."));
      await speaker.close();
    }
    assert.deepEqual(reports, ["Thoughts are no longer read aloud: No sound card."]);
  });
});

describe("the system's voice", () => {
  /** A search path with a program that writes its arguments and its input to a file. */
  async function programs(...names: readonly string[]) {
    const folder = await tempFolder();
    const bin = join(folder, "bin");
    await mkdir(bin);
    const out = join(folder, "out");
    for (const name of names)
      await writeFile(
        join(bin, name),
        `#!/bin/sh\nset -- "\${0##*/}" "$@"\n{ printf '%s|' "$@"; cat; for last; do :; done; case $last in /*) cat "$last";; esac; } >'${out}'\n`,
        { mode: 0o755 },
      );
    const place = { folders: [], env: { PATH: `${bin}:${process.env.PATH}` } };
    return {
      bin,
      place,
      text: async () => (await readFile(out, "utf8")).replace(/\/\S*speech\.wav/, "FILE"),
    };
  }

  before(() => {
    skipWithout("files as POSIX has them");
  });

  it("gets texts in a way that no text can change", async () => {
    const text = "-x; $(id) 'q'";
    const heard = async (platform: NodeJS.Platform, ...names: readonly string[]) => {
      const { place, text: result } = await programs(...names);
      await findSystemVoice({ ...place, platform })?.(text, signal);
      return result();
    };
    assert.deepEqual(
      {
        mac: await heard("darwin", "say"),
        linux: await heard("linux", "spd-say", "espeak"),
        speechd: await heard("linux", "spd-say"),
      },
      {
        mac: `say|-f|-|${text}`,
        linux: `espeak|--stdin|${text}`,
        speechd: `spd-say|--wait|--|${text}|`,
      },
    );
  });

  it("is no program of the workspace, and there is none without one", async () => {
    const { bin, place } = await programs("say");
    assert.deepEqual(
      [
        findSystemVoice({ ...place, folders: [bin], platform: "darwin" }),
        findSystemVoice({ folders: [], env: { PATH: "/nowhere" }, platform: "linux" }),
        findSystemVoice({ folders: [], env: { PATH: "/nowhere" }, platform: "aix" }),
      ],
      [undefined, undefined, undefined],
    );
  });

  it("plays the sound of a service from a file that is gone afterward, and says which program failed", async () => {
    const { bin, place, text } = await programs("afplay");
    const play = findSoundPlayer({ ...place, platform: "darwin" });
    await play?.(Buffer.from("RIFF"), signal);
    const played = await text();
    await writeFile(join(bin, "afplay"), "#!/bin/sh\nexit 3\n");
    const failed = await play?.(Buffer.from("RIFF"), signal).then(() => "", String);
    assert.deepEqual([played, failed], ["afplay|FILE|RIFF", `Error: ${bin}/afplay ended with 3`]);
  });
});

describe("--speak", () => {
  const model = serverForSuite();
  const FINISH = {
    thoughts: { text: "t", reasoning: "", plan: "", criticism: "", speak: "All is tidy." },
    reason: "Done.",
  };

  it("reads aloud what the agent says, and reports where nothing can", async () => {
    skipWithout("files as POSIX has them");
    const [bin, workspace, data] = await Promise.all([tempFolder(), tempFolder(), tempFolder()]);
    for (const name of ["say", "espeak-ng"])
      await writeFile(join(bin, name), `#!/bin/sh\ncat >>'${bin}/heard'\n`, { mode: 0o755 });
    const run = async (PATH: string) => {
      model().plan(calling("task_complete", FINISH));
      const place = { baseUrl: model().baseUrl, workspace, data, env: { PATH } };
      const { end, stderr } = await headless(place, "--task", "Tidy.", "--continuous", "9", "--speak");
      return [end.reason, stderr.includes("--speak does nothing: no program that reads text aloud")];
    };
    assert.deepEqual(
      { speaking: await run(`${bin}:${process.env.PATH}`), silent: await run("/nowhere") },
      { speaking: ["finished", false], silent: ["finished", true] },
    );
    assert.equal(await readFile(join(bin, "heard"), "utf8"), "All is tidy.");
  });
});

describe("a speech service", () => {
  const server = webServers();

  it("turns a sentence into sound, with its cost where the price is known", async () => {
    const seen: unknown[] = [];
    const { address } = await server(async (request, answer) => {
      let body = "";
      for await (const chunk of request) body += chunk;
      seen.push([request.url, request.headers.authorization, JSON.parse(body)]);
      answer.setHeader("content-type", "audio/wav").end(Buffer.from("RIFF"));
    });
    const options = { baseUrl: `${address}/v1`, apiKey: "k", voice: "alloy", steps: IN_EDITOR };
    const { bytes, costUsd } = await openAiSpeech({ ...options, model: "tts-1" })("Hello.", signal);
    const other = await openAiSpeech({ ...options, model: "gpt-4o-mini-tts" })("Hello.", signal);
    assert.deepEqual(
      { bytes: Buffer.from(bytes).toString(), costs: [costUsd, other.costUsd], seen: seen[0] },
      {
        bytes: "RIFF",
        costs: [0.00009, undefined],
        seen: [
          "/v1/audio/speech",
          "Bearer k",
          { model: "tts-1", voice: "alloy", input: "Hello.", response_format: "wav" },
        ],
      },
    );
  });

  it("says what a refusal means, and never the key", async () => {
    const { address } = await server((_request, answer) => {
      answer.writeHead(400, { "content-type": "application/json" });
      answer.end(JSON.stringify({ error: { message: "No such voice for secret-key-123." } }));
    });
    const speech = openAiSpeech({
      baseUrl: address,
      apiKey: "secret-key-123",
      model: "m",
      voice: "v",
      steps: IN_EDITOR,
    });
    const said = await speech("Hello.", signal).then(() => "", String);
    assert.match(said, /m at 127\.0\.0\.1 answered 400\. It said: "No such voice for \[key\]"\./);
  });
});
