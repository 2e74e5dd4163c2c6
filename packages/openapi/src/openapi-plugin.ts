import {
  type ApiDocuments,
  type ApiSettings,
  type DescribedApi,
  escapeInvisible,
  type HookContext,
  type Plugin,
  type PluginCall,
  type PluginCommand,
  renderResponse,
} from "../../../src/plugins/library.ts";
import { computeDescriptionHash } from "./documents.ts";
import { type ApiDescription, type Operation, readOperations } from "./operations.ts";
import { addKey, createRequest, formatApiCall } from "./request.ts";

export { readDocuments } from "./documents.ts";

/** An API with its operations. */
export interface FoundApi extends DescribedApi {
  readonly description: ApiDescription;
}

/** Reads an API's operations. Throws a sentence. */
export function findApi(documents: ApiDocuments, settings: ApiSettings, keyOrigin?: string): FoundApi {
  const description = readOperations(documents, settings);
  const hash = computeDescriptionHash(documents, JSON.stringify([settings, keyOrigin ?? ""]));
  return {
    ...{ hash, shown: describeApi(description, documents, keyOrigin), title: description.title, description },
    commands: description.operations.map(({ command }) => command),
    createPlugin: (id) => createApiPlugin(id, description, keyOrigin),
  };
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
function createApiPlugin(id: string, { title, operations }: ApiDescription, keyOrigin: string | undefined): Plugin {
  return {
    id,
    description: `Operations of ${title}`,
    offer: () => ({ commands: operations.map((one) => createCommand(one, keyOrigin)) }),
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
