import { resolve } from "node:path";
import { Queue, waitUntilAborted } from "../../core/base/async.ts";
import { getErrorMessage } from "../../core/base/errors.ts";
import { cutText } from "../../core/base/text.ts";
import { createEnvironmentOutside } from "../../node/processes/program-versions.ts";
import { chooseShellProgram } from "../../node/processes/programs.ts";
import {
  createShellEnvironment,
  mergeVariables,
  selectDefinedVariables,
} from "../../node/processes/shell-environment.ts";
import type { HookAnswer, HookName, HookPayloads } from "../../schema/plugin-values.ts";
import { displayText } from "../../texts/display-text.ts";
import type { LoadedPlugin, PluginOrigin, PluginRun } from "../plugin.ts";
import { runOnce } from "../process/single-run.ts";
import { mayBeChanged } from "../started/started-files.ts";
import { type HookDecision, type HookResult, mergeDecisions, readDecision, stopReason } from "./decisions.ts";
import type { Guards } from "./guards.ts";
import { buildHookConsent, type HookConsent, type HookFolders, resolveHookCommand } from "./hook-consent.ts";
import type { HookCommand, HookFile } from "./hook-files.ts";
import { buildHookJson, createHookInput, type HookCall, type HookInput } from "./payloads.ts";
import { translateArguments } from "./tool-names.ts";

/** Dependencies of the commands of a file, for one run. */
export interface LoadedHooksParts {
  readonly run: PluginRun;
  readonly folders: HookFolders;
  /** Hash of the consent that the user gave. */
  readonly hash: string;
  readonly guards: Guards;
  /** True if one of the commands refused a call in an earlier run. */
  readonly isGuard: boolean;
}

/** The most unreported lines to keep; the oldest ones are dropped. */
const MOST_REPORTS = 100;

/** How long the caller waits after a command's own limit. */
const LATER_MS = 150;

/** The commands of one file, for one run. */
export class LoadedHooks implements LoadedPlugin {
  readonly id: string;
  readonly name: string;
  readonly from: PluginOrigin;
  readonly kind = "hooks";
  readonly hooks: readonly HookName[];
  readonly limitMs: number;
  isGuard: boolean;
  private readonly file: HookFile;
  private readonly parts: LoadedHooksParts;
  private readonly running = new Set<Promise<unknown>>();
  private closing = new AbortController();
  private readonly reports: string[] = [];
  private readonly reporting = new Queue();
  private readonly told = new Set<string>();
  private task: string | undefined;
  private hasToldWhere = false;
  /** The consent for the files at the last call. */
  private consent: HookConsent | undefined;

  constructor(file: HookFile, parts: LoadedHooksParts) {
    this.file = file;
    this.parts = parts;
    this.id = file.id;
    this.name = file.id;
    this.from = file.from;
    this.isGuard = parts.isGuard;
    this.hooks = [...new Set(file.commands.map(({ hook }) => hook))];
    this.limitMs = Math.max(...file.commands.map(({ limitMs }) => limitMs)) + LATER_MS;
  }

  async call<Name extends HookName>(
    hook: Name,
    payload: HookPayloads[Name],
    signal: AbortSignal,
  ): Promise<HookAnswer<HookName>> {
    const call = { hook, payload } as HookCall;
    if (call.hook === "offer") this.task = call.payload.task;
    if (call.hook !== "report") return this.answer(call, signal);
    this.reports.push(call.payload.text);
    if (this.reports.length > MOST_REPORTS) this.reports.shift();
    return this.reporting.add(async () => {
      const text = this.reports.shift();
      return text === undefined ? {} : this.answer({ hook: "report", payload: { text } }, signal);
    });
  }

  async close(): Promise<void> {
    this.closing.abort(new Error("the run is over"));
    await Promise.allSettled(this.running);
    this.closing = new AbortController();
  }

  /** Runs all commands for a call in parallel. A failing command doesn't hide the others' decisions. */
  private async answer(call: HookCall, signal: AbortSignal): Promise<HookAnswer<HookName>> {
    const meant = this.file.commands.flatMap((command) => {
      const input =
        command.hook === call.hook ? createHookInput(call, command, this.file.isClaudes, this.task) : undefined;
      return input ? [{ command, input }] : [];
    });
    if (meant.length === 0) return {};
    const outside = await this.checkUnchanged();
    const results = await Promise.allSettled(
      meant.map(({ command, input }) => this.decide(call, command, { input, outside }, signal)),
    );
    const decisions = results.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
    const failed = results.flatMap((one) => (one.status === "rejected" ? [getErrorMessage(one.reason)] : []));
    for (const { warning } of decisions) if (warning !== undefined) this.tell(warning);
    const stop = stopReason(call.hook, decisions);
    if (stop !== undefined) this.stop(stop);
    const answer = mergeDecisions(call.hook, decisions);
    if (failed[0] !== undefined && this.isLost(answer)) throw new Error(failed[0]);
    for (const why of failed) this.tell(why);
    return answer;
  }

  /** Whether a failure outweighs the other commands' answers. */
  private isLost(answer: HookAnswer<HookName>): boolean {
    const isRestrictive = "deny" in answer || "ask" in answer;
    return Object.keys(answer).length === 0 || (this.isGuard && !isRestrictive);
  }

  private async decide(
    { hook, payload }: HookCall,
    command: HookCommand,
    { input, outside }: { readonly input: HookInput; readonly outside: readonly string[] },
    signal: AbortSignal,
  ): Promise<HookDecision> {
    const { run, folders, guards } = this.parts;
    const json = buildHookJson(hook, input, { cwd: folders.folder, session: run.id, now: new Date() });
    const { code, ...printed } = await this.runCommand(resolveHookCommand(command, folders), json, outside, signal);
    const decision = readDecision(hook, { code, ...printed });
    if (run.walls && code !== 0 && decision.block === undefined) this.reportCommandPlace();
    if (hook !== "beforeCommand") return decision;
    if (decision.block !== undefined) {
      this.isGuard = true;
      await guards.add(command);
    }
    const { tool } = input;
    return decision.args && tool && "command" in payload
      ? { ...decision, args: translateArguments(payload.command, tool, decision.args) }
      : decision;
  }

  /** Runs a command. Throws a sentence at once if it takes too long, prints too much, or is killed. */
  private async runCommand(
    { command, cwd, env, limitMs }: HookCommand,
    input: string,
    outside: readonly string[],
    signal: AbortSignal,
  ): Promise<HookResult> {
    const { folder } = this.parts.folders;
    const { walls } = this.parts.run;
    const { path, createArgs } = walls?.shell ?? chooseShellProgram(createEnvironmentOutside([folder]));
    const own = { CLAUDE_PROJECT_DIR: folder, ...env };
    const plain = {
      words: [path, ...createArgs(command, resolve(folder, cwd))],
      cwd: resolve(folder, cwd),
      env: walls ? own : mergeVariables(getUserVariables(), own),
    };
    const start = walls ? await walls.start(plain, outside) : plain;
    const tooLate = new AbortController();
    const late = new Error(`no answer within ${limitMs / 1000} s`);
    const timer = setTimeout(() => tooLate.abort(late), limitMs);
    const ended = AbortSignal.any([signal, tooLate.signal, this.closing.signal]);
    const running = runOnce(start, input, ended).finally(() => this.running.delete(running));
    this.running.add(running);
    try {
      const { code, stdout, stderr, isTooLong } = await waitUntilAborted(running, ended);
      if (isTooLong) throw new Error("it printed more than 1 MB");
      if (code === undefined) throw new Error("it was killed");
      return { code, stdout, stderr };
    } finally {
      clearTimeout(timer);
    }
  }

  /** Throws if anything differs from what the user saw, or if the agent may have changed it since. Returns the user's own scripts. */
  private async checkUnchanged(): Promise<readonly string[]> {
    const { run, folders, hash } = this.parts;
    if (!(await this.consent?.started.isUntouched()))
      this.consent = await buildHookConsent(this.file.commands, folders);
    const { started, hash: now } = this.consent as HookConsent;
    const changes = run.walls ? undefined : run.getChanges?.();
    const isOpen = changes !== undefined && mayBeChanged(started, changes);
    if (now === hash && !isOpen) return started.outside;
    // The user may have allowed what is there now.
    const agreed = await run.consent?.();
    const isAgreed = agreed?.allowed === true && agreed.hash === now;
    if (now !== hash && !isAgreed) this.refuse("its files have changed since you allowed them");
    if (isOpen && !(isAgreed && (agreed.at ?? 0) > changes.lastAt))
      this.refuse("this run has changed files, and the files that it may load can't all be known");
    return started.outside;
  }

  private refuse(why: string): never {
    this.isGuard = true;
    this.consent = undefined;
    throw new Error(`${why}, so it doesn't run until you allow it again`);
  }

  private stop(why: string): void {
    const { run } = this.parts;
    const text = displayText("plugins.hookStops", { name: this.name, why: cutText(why, 500) });
    if (run.stop) run.stop(text);
    else run.notice(text);
  }

  /** Reports once where the commands run, since that may be why they fail. */
  private reportCommandPlace(): void {
    if (this.hasToldWhere) return;
    this.hasToldWhere = true;
    this.parts.run.notice(displayText("plugins.hookWithin", { name: this.name }));
  }

  /** Shows the user a text once per run. */
  private tell(text: string): void {
    if (this.told.has(text)) return;
    this.told.add(text);
    this.parts.run.notice(displayText("plugins.hookSays", { name: this.name, text: cutText(text, 500) }));
  }
}

/** The user's environment without services' keys. */
function getUserVariables(): Record<string, string> {
  return selectDefinedVariables(createShellEnvironment(process.env, []));
}
