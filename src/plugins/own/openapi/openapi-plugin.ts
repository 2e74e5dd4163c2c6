import { renderResponse } from "../../../core/base/http-message.ts";
import { escapeInvisible } from "../../../core/base/text.ts";
import type { HookContext, Plugin, PluginCall, PluginCommand } from "../../plugin.ts";
import { type ApiDocuments, computeDescriptionHash } from "./documents.ts";
import { type ApiDescription, type Operation, readOperations } from "./operations.ts";
import { addKey, createRequest, formatApiCall } from "./request.ts";
import type { ApiSettings } from "./servers.ts";

/** An API with a description that can be shown, agreed to and loaded. */
export interface FoundApi {
  /** SHA-256 of the description and of the settings that change what is sent where. */
  readonly hash: string;
  /** Servers and every operation, for the user's consent. */
  readonly shown: string;
  readonly description: ApiDescription;
}

export { StoredDescriptions } from "./stored-descriptions.ts";

/** Reads an API's operations. Throws a sentence. */
export function findApi(documents: ApiDocuments, settings: ApiSettings, keyOrigin?: string): FoundApi {
  const description = readOperations(documents, settings);
  const hash = computeDescriptionHash(documents, JSON.stringify([settings, keyOrigin ?? ""]));
  return { hash, shown: describeApi(description, documents, keyOrigin), description };
}

function describeApi(
  { title, operations, leftOut }: ApiDescription,
  { root, texts, refused }: ApiDocuments,
  keyOrigin: string | undefined,
): string {
  const servers = [...new Set(operations.map(({ server }) => server))];
  const others = [...texts.keys()].filter((address) => address !== root);
  const lines = [
    `${title}, described at ${root}`,
    ...others.map((address) => `and at ${address}`),
    ...refused.map((address) => `not read, because it is elsewhere: ${address}`),
    `Requests go to: ${servers.join(", ")}`,
    `A key is only sent to: ${keyOrigin ?? "nowhere"}`,
    `${operations.length} operations${leftOut > 0 ? `, and ${leftOut} more that are left out` : ""}:`,
    ...operations.map(({ command, description }) => `${command}: ${description}`),
  ];
  return escapeInvisible(lines.join("\n"));
}

/** The plugin for one API. It uses only the public interface of plugins. */
export function openApiPlugin(id: string, { description }: FoundApi, keyOrigin?: string): Plugin {
  return {
    id,
    description: `Operations of ${description.title}`,
    offer: () => ({ commands: description.operations.map((one) => createCommand(one, keyOrigin)) }),
  };
}

function createCommand(operation: Operation, keyOrigin: string | undefined): PluginCommand {
  return {
    name: operation.command,
    description: operation.description,
    parameters: operation.parameters,
    prepare: async (args, context) => prepareCall(operation, args, keyOrigin, context),
  };
}

async function prepareCall(
  operation: Operation,
  args: Readonly<Record<string, unknown>>,
  keyOrigin: string | undefined,
  { secret }: HookContext,
): Promise<PluginCall> {
  const call = createRequest(operation, args);
  const { credential } = operation;
  const isForKey = credential !== undefined && call.url.origin === keyOrigin;
  const key = isForKey ? await secret(keyOrigin) : undefined;
  return {
    text: formatApiCall(call, key === undefined ? undefined : keyOrigin),
    hosts: [call.url.hostname],
    async run({ fetch, signal }) {
      const { url, headers } = key === undefined || !credential ? call : addKey(call, credential, key);
      const { method, body } = call;
      const answer = await fetch(url.href, {
        method,
        headers,
        signal,
        ...(body === undefined ? {} : { body: new TextEncoder().encode(body) }),
      });
      return { text: renderResponse(answer), source: call.url.origin };
    },
  };
}
