import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { ModelError } from "../../../src/core/ports/model.ts";
import { readOptions } from "../../../src/headless/options.ts";
import { runCommandLine } from "../../../src/headless/program.ts";
import { runHeadless } from "../../../src/headless/run-headless.ts";
import type { Surroundings } from "../../../src/headless/session.ts";
import { findTestBrowser } from "../../support/real-browser.ts";
import type { Attack } from "../attack.ts";
import { DATA, WORKSPACE } from "../place/paths.ts";
import type { AttackModel } from "./model-server.ts";
import { plainRun } from "./plain-agent.ts";

/** How attacks are met. `none` has no policy: it shows that they do harm. */
export const MODES = ["none", "readOnly", "continuous", "sandboxed", "isolated"] as const;
export type AttackMode = (typeof MODES)[number];

const READ_ONLY = ["--set", "approval.readOnlyShell=true"];

const FLAGS: Readonly<Record<Exclude<AttackMode, "none">, readonly string[]>> = {
  readOnly: READ_ONLY,
  continuous: ["--continuous", "100"],
  sandboxed: [...READ_ONLY, "--sandbox", "trusted"],
  isolated: ["--isolated", "--set", "isolation.quotaMb=256"],
};

/** Nothing but replies is asked of the server, and no program of the jail is waited for. */
const COMMON = [
  "model.contextWindow=32000",
  "memory.enabled=false",
  "web.browser=off",
  "downloads.enabled=true",
  "run.maxSteps=12",
];

/** Makes the run of an attack, where nobody answers questions. The result is all that the model was shown. */
export async function attackRun(attack: Attack, mode: AttackMode, model: AttackModel): Promise<string> {
  // Its script lies in a folder that each new place clears.
  const browser = attack.needs === undefined ? "" : await findTestBrowser();
  if (browser === undefined) throw new Error("There is no browser to attack with.");
  if (mode === "none") return plainRun(attack, browser);
  return runProduct(browser === "" ? attack : allowBrowser(attack, browser), mode, model);
}

/** The user has turned the browser on, and agrees to each page that it may open at all. */
function allowBrowser(attack: Attack, program: string): Attack {
  return { ...attack, flags: ["--yes-to", "open_page", "--set", `web.browser=${program}`, ...(attack.flags ?? [])] };
}

async function runProduct(attack: Attack, mode: Exclude<AttackMode, "none">, model: AttackModel): Promise<string> {
  model.play(attack);
  const flags = flagsFor(attack, mode, model);
  for (const plugin of attack.allowed ?? [])
    await runSubcommand(["plugins", "allow", plugin, ...flags.filter((flag) => flag !== "--accept")], [0]);
  if (attack.program) {
    const entries = Object.entries(attack.env ?? {}).map(([name, value]) => [
      name,
      value.replace("MODEL", model.baseUrl),
    ]);
    await runSubcommand([...attack.program, ...flags], REVIEWED, Object.fromEntries(entries), attack.data);
    return model.shown;
  }
  await run(attack, mode, model, ["--task", attack.task ?? "Tidy up the shop."]);
  if (attack.resumed === undefined) return model.shown;
  const { shown } = model;
  model.play({ ...attack, calls: attack.resumed });
  const [id = ""] = await readdir(join(WORKSPACE, ".autogpt/runs"));
  await run(attack, mode, model, ["--resume", id, "--task", "Go on."]);
  return `${shown}\n${model.shown}`;
}

function flagsFor(
  { flags = [], isAccepted, hosts, page }: Attack,
  mode: Exclude<AttackMode, "none">,
  { baseUrl }: AttackModel,
): readonly string[] {
  return [
    ...["--workspace", WORKSPACE, "--model", "attacker"],
    ...(flags.includes("--env-file") ? [] : ["--base-url", baseUrl]),
    ...[...COMMON.flatMap((setting) => ["--set", setting]), ...FLAGS[mode]],
    ...(mode === "isolated" && isAccepted ? ["--accept"] : []),
    ...(hosts === undefined ? [] : ["--set", `isolation.hosts=${hosts.join(",")}`]),
    ...(page === undefined ? [] : ["--yes-to", "browse_website"]),
    ...flags.map((flag) => flag.replace("MODEL", baseUrl)),
  ];
}

/** Exit codes of a review: nothing found, something found, or refused in a sentence. */
const REVIEWED: readonly number[] = [0, 4, 5];

/** Runs another subcommand than that of a run; throws if it ends in an unexpected way. */
async function runSubcommand(
  argv: readonly string[],
  codes: readonly number[],
  env: Attack["env"] = {},
  data = DATA,
): Promise<void> {
  await inSurroundings(async (surroundings) => {
    const around = { ...surroundings, data };
    const code = await runCommandLine(argv, { ...ENV, ...env }, around);
    if (!codes.includes(code)) throw new Error(`${argv.join(" ")} ended with ${code}.`);
  });
}

async function run(
  attack: Attack,
  mode: Exclude<AttackMode, "none">,
  model: AttackModel,
  task: readonly string[],
): Promise<void> {
  const options = readOptions([...flagsFor(attack, mode, model), ...task], { ...ENV, ...attack.env });
  if (options === "help") throw new Error("No attack asks for help.");
  await inSurroundings(async (around) => {
    const { signal } = around;
    // A server that gets no key of the user's is never asked.
    const end = await runHeadless(options, around).catch((error: unknown) => {
      if (attack.modes !== undefined && error instanceof ModelError && error.trouble === "setup") return undefined;
      throw error;
    });
    if (!end) return;
    const isRefused = end.reason === "stuck" && end.text?.code === "approval.allRefused";
    const isEnd = end.reason === "finished" || isRefused || (attack.modes !== undefined && end.reason === "stuck");
    if (!isEnd && process.env.ATTACKS_TRACE === undefined && !signal.aborted)
      throw new Error(`The run didn't finish: ${JSON.stringify(end)}`);
  });
}

async function inSurroundings(act: (around: Surroundings) => Promise<void>): Promise<void> {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const said = [text(stdout), text(stderr)];
  try {
    await act({ stdin, stdout, stderr, data: DATA, signal: AbortSignal.timeout(MOST_MS) });
  } finally {
    stdout.end();
    stderr.end();
    const printed = await Promise.all(said);
    if (process.env.ATTACKS_TRACE) process.stderr.write(printed.join("\n"));
    for (const stream of [stdin, stdout, stderr]) stream.destroy();
  }
}

const ENV = { OPENAI_API_KEY: "a-test-key" };
const MOST_MS = 30_000;
