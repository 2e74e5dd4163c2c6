import { type Answering, refusal, type ServerAnswer } from "./fake-model-server.ts";

/** A message as it is sent to an OpenAI-compatible server. */
interface SentMessage {
  readonly role: "system" | "user" | "assistant" | "tool";
  readonly content: string | null;
  readonly tool_calls?: readonly { readonly id: string }[];
  readonly tool_call_id?: string;
}

/** What a server of some family requires of the order of messages: its complaint, in its own published words, or undefined. */
export type MessageRule = (messages: readonly SentMessage[]) => string | undefined;

/** A server that enforces a rule, and answers only requests that keep to it. */
export function enforcing(
  rule: MessageRule,
  status: number,
  answer: (body: { readonly messages: readonly SentMessage[]; readonly tools?: unknown }) => ServerAnswer,
): Answering {
  return ({ body }) => {
    const complaint = rule(body.messages);
    return complaint === undefined ? answer(body) : refusal(status, complaint);
  };
}

type Role = SentMessage["role"];

const roles = (messages: readonly SentMessage[]): readonly Role[] => messages.map(({ role }) => role);
const withoutSystem = (messages: readonly SentMessage[]): readonly SentMessage[] =>
  messages[0]?.role === "system" ? messages.slice(1) : messages;

/** Bedrock's Converse API behind a gateway that joins user messages and tool results, as LiteLLM does. */
export const bedrock: MessageRule = (messages) =>
  withoutSystem(messages)[0]?.role === "user"
    ? undefined
    : 'BedrockException - {"message":"A conversation must start with a user message. Try again with a conversation that starts with a user message."}';

/** Bedrock's Converse API behind a gateway that joins nothing; tool results count as the user's. */
export const bareBedrock: MessageRule = (messages) => {
  const asTurns = roles(withoutSystem(messages)).map((role) => (role === "tool" ? "user" : role));
  const repeated = asTurns.some((role, index) => role === asTurns[index - 1]);
  return (
    bedrock(messages) ??
    (repeated
      ? "A conversation must alternate between user and assistant roles. Make sure the conversation alternates between user and assistant roles and try again."
      : undefined)
  );
};

/** Anthropic's Messages API behind a gateway that joins nothing but tool results. */
export const anthropic: MessageRule = (messages) => {
  const sent = roles(withoutSystem(messages));
  if (sent[0] !== "user") return 'messages: first message must use the "user" role';
  const repeated = sent.some(
    (role, index) => role === "user" && (sent[index - 1] === "user" || sent[index - 1] === "tool"),
  );
  return repeated
    ? 'messages: roles must alternate between "user" and "assistant", but found multiple "user" roles in a row'
    : undefined;
};

/** Google's Gemini API. */
export const gemini: MessageRule = (messages) => {
  const sent = withoutSystem(messages);
  for (const [index, message] of sent.entries()) {
    const before = sent[index - 1]?.role;
    const calls = message.tool_calls?.length ?? 0;
    if (calls > 0 && before !== "user" && before !== "tool")
      return "Please ensure that function call turn comes immediately after a user turn or after a function response turn.";
    if (message.role === "tool" && before !== "assistant" && before !== "tool")
      return "Please ensure that function response turn comes immediately after a function call turn.";
    if (calls > 0 && calls !== answersAfter(sent, index))
      return "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.";
  }
  return undefined;
};

/** Mistral's API. */
export const mistral: MessageRule = (messages) => {
  const sent = roles(messages);
  for (const [index, message] of messages.entries()) {
    if (message.role === "user" && sent[index - 1] === "tool") return "Unexpected role 'user' after role 'tool'";
    if ((message.tool_calls?.length ?? 0) !== answersAfter(messages, index) && message.role === "assistant")
      return "Not the same number of function calls and responses";
  }
  const last = sent.at(-1);
  return last === "user" || last === "tool"
    ? undefined
    : `Expected last role User or Tool (or Assistant with prefix True) for serving but got ${last}`;
};

/** The chat template of Mistral's newer models, as vLLM and llama.cpp render it. */
export const mistralTemplate: MessageRule = (messages) => {
  const turns = withoutSystem(messages).filter(({ role, tool_calls }) => role !== "tool" && !tool_calls);
  return alternate(roles(turns))
    ? undefined
    : "After the optional system message, conversation roles must alternate user/assistant/user/assistant/...";
};

/** The chat template of the first Mistral and Llama models, which know no system message and no tools. */
export const oldTemplate: MessageRule = (messages) =>
  alternate(roles(messages))
    ? undefined
    : "Jinja Exception: Conversation roles must alternate user/assistant/user/assistant/...";

/** The chat template of Gemma. */
export const gemmaTemplate: MessageRule = (messages) =>
  messages[0]?.role === "system" ? "Jinja Exception: System role not supported" : oldTemplate(messages);

/** Perplexity's API. */
export const perplexity: MessageRule = (messages) => {
  const sent = roles(withoutSystem(messages));
  const repeated = sent.some(
    (role, index) => index > 0 && (role === "assistant") === (sent[index - 1] === "assistant"),
  );
  if (repeated || sent[0] !== "user")
    return "After the (optional) system message(s), user or tool message(s) should alternate with assistant message(s).";
  return sent.at(-1) === "assistant" ? "Last message must have role `user` or `tool`." : undefined;
};

function alternate(sent: readonly Role[]): boolean {
  return sent.every((role, index) => role === (index % 2 === 0 ? "user" : "assistant"));
}

function answersAfter(messages: readonly SentMessage[], index: number): number {
  const rest = messages.slice(index + 1);
  const end = rest.findIndex(({ role }) => role !== "tool");
  return end === -1 ? rest.length : end;
}
