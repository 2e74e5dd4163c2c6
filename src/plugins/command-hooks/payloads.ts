import { assertNever } from "../../core/base/errors.ts";
import type { HookName, HookPayloads } from "../../schema/plugin-values.ts";
import { HOOKS } from "../hooks.ts";
import type { HookCommand } from "./hook-files.ts";
import { findToolCall, type HookTool, isMatcherFor } from "./tool-names.ts";

/** A call of one of the agent's hooks. */
export type HookCall = {
  readonly [Name in HookName]: { readonly hook: Name; readonly payload: HookPayloads[Name] };
}[HookName];

/** A command's input: its event's fields, and the call if there is one. */
export interface HookInput {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly tool?: HookTool;
}

/** The input of one command for a call; undefined if the command doesn't apply. */
export function createHookInput(
  call: HookCall,
  { matcher }: HookCommand,
  isClaudes: boolean,
  task: string | undefined,
): HookInput | undefined {
  switch (call.hook) {
    case "offer":
      return matchOccasion(matcher, isClaudes ? "startup" : "new", { source: isClaudes ? "startup" : "new" });
    case "beforeThinking":
      return { fields: { prompt: task ?? call.payload.goals.join("\n") } };
    case "beforeCommand":
      return createToolInput(call.payload, matcher, isClaudes, {}, call.payload.shell);
    case "afterCommand":
      if (call.payload.status !== "done") return undefined;
      return createToolInput(call.payload, matcher, isClaudes, { tool_response: call.payload.outcome });
    case "beforeDelegate":
      return matchOccasion(matcher, call.payload.name, {
        agent_id: call.payload.name,
        agent_type: call.payload.name,
        prompt: call.payload.task,
      });
    case "afterDelegate":
      return matchOccasion(matcher, call.payload.name, {
        agent_id: call.payload.name,
        agent_type: call.payload.name,
        last_assistant_message: call.payload.answer,
        stop_hook_active: false,
      });
    case "report":
      return { fields: { message: call.payload.text } };
    case "beforeCompaction":
      return matchOccasion(matcher, "auto", { trigger: "auto" });
    case "ending":
      return {
        fields: {
          stop_hook_active: call.payload.stopHookActive,
          last_assistant_message: call.payload.summary,
        },
      };
    case "afterReply":
    case "model":
    case "embedder":
    case "answer":
      return undefined;
    default:
      return assertNever(call);
  }
}

function matchOccasion(
  matcher: string,
  name: string,
  fields: Readonly<Record<string, unknown>>,
): HookInput | undefined {
  return isMatcherFor(matcher, name) ? { fields } : undefined;
}

function createToolInput(
  { step, command, args }: HookPayloads["beforeCommand"] | HookPayloads["afterCommand"],
  matcher: string,
  isClaudes: boolean,
  more: Readonly<Record<string, unknown>>,
  shell?: string,
): HookInput | undefined {
  const tool = findToolCall(matcher, isClaudes, command, args, shell);
  if (!tool) return undefined;
  const fields = { tool_name: tool.name, tool_input: tool.input, tool_use_id: `step-${step}`, ...more };
  return { tool, fields };
}

/** The JSON for a command's standard input. The common fields are included in both spellings. */
export function buildHookJson(
  hook: HookName,
  { fields }: HookInput,
  common: { readonly cwd: string; readonly session: string; readonly now: Date },
): string {
  const { event } = HOOKS[hook];
  return JSON.stringify({
    timestamp: common.now.toISOString(),
    cwd: common.cwd,
    session_id: common.session,
    sessionId: common.session,
    hook_event_name: event,
    hookEventName: event,
    ...fields,
  });
}
