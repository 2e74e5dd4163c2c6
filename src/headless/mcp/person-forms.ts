import {
  CLIENT_CAPABILITIES_META_KEY,
  type ElicitRequestFormParams,
  type inputResponse,
  type McpServer,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { assertNever } from "../../core/base/errors.ts";
import { isObject } from "../../core/base/json.ts";
import { type Asked, PERSON_MS, type PersonAnswer } from "./served-run.ts";

/** True if the client can show a form to its user. In the newer protocol, each request declares this. */
export function canAsk({ server }: McpServer, { mcpReq: { envelope } }: ServerContext): boolean {
  const declared: unknown = envelope
    ? Object.entries(envelope).find(([key]) => key === CLIENT_CAPABILITIES_META_KEY)?.[1]
    : server.getClientCapabilities();
  const elicitation = isObject(declared) ? declared.elicitation : undefined;
  return isObject(elicitation) && ("form" in elicitation || !("url" in elicitation));
}

/** The form for the person. It has no defaults, so returning it unchanged doesn't approve anything. */
export function createPersonForm({ kind, text }: Asked): ElicitRequestFormParams {
  switch (kind) {
    case "proposal":
      return {
        mode: "form",
        message: text,
        requestedSchema: {
          type: "object",
          properties: {
            decision: { type: "string", title: "Decision", enum: ["approve", "reject"] },
            feedback: { type: "string", title: "If you reject: what it should do instead" },
          },
          required: ["decision"],
        },
      };
    case "question":
      return {
        mode: "form",
        message: `AutoGPT asks: ${text}`,
        requestedSchema: {
          type: "object",
          properties: { answer: { type: "string", title: "Answer" } },
          required: ["answer"],
        },
      };
    default:
      return assertNever(kind);
  }
}

/** In the older protocol, the server asks while the tool's call waits. */
export async function askPerson(asked: Asked, { mcpReq }: ServerContext): Promise<PersonAnswer> {
  const signal = AbortSignal.any([mcpReq.signal, asked.signal]);
  const options = { signal, timeout: PERSON_MS };
  const result = await mcpReq.elicitInput(createPersonForm(asked), options).catch(() => undefined);
  return result ? parsePersonAnswer({ kind: "elicit", ...result }) : { kind: "none" };
}

export function parsePersonAnswer(view: ReturnType<typeof inputResponse> | ElicitedView): PersonAnswer {
  if (view.kind !== "elicit") return { kind: "none" };
  if (view.action !== "accept") return { kind: "said", text: "" };
  const { decision, feedback, answer } = view.content ?? {};
  if (decision === "approve") return { kind: "approved" };
  const text = answer ?? feedback;
  return { kind: "said", text: typeof text === "string" ? text : "" };
}

interface ElicitedView {
  readonly kind: "elicit";
  readonly action: "accept" | "decline" | "cancel";
  readonly content?: Readonly<Record<string, unknown>> | undefined;
}
