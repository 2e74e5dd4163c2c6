import { Client, Connection, type ConnectionOptions } from "@temporalio/client";
import { getErrorMessage } from "../../core/base/errors.ts";
import { readLinkedBytes } from "../../disk/plain-file.ts";
import { fail } from "../../texts/display-text.ts";
import type { FleetKey } from "../key.ts";
import type { TemporalAddress } from "./address.ts";
import { createFleetCodec } from "./codec.ts";
import { explainFailure } from "./failures.ts";

/** The queue from which workers take the runs of a fleet; a fleet key has one of its own. */
export function getTaskQueue(key: Pick<FleetKey, "id">): string {
  return `autogpt-${key.id}`;
}

/** The name of the workflow of a run. A changed workflow gets another one, so that runs that wait continue with theirs. */
export const WORKFLOW = "workOnRun";

type Environment = Readonly<Record<string, string | undefined>>;

/** How to connect: with TLS, except to this machine, and where the environment says so. Certificates and keys come from there alone. */
export async function readConnectionOptions({ host, isLocal }: TemporalAddress, env: Environment) {
  const readNamed = async (name: string): Promise<Buffer | undefined> => {
    const path = env[name];
    if (!path) return undefined;
    return readLinkedBytes(path).catch(() => fail("temporal.noFile", { name, path }));
  };
  const [ca, crt, key] = await Promise.all(
    ["AUTOGPT_TEMPORAL_CA", "AUTOGPT_TEMPORAL_CERT", "AUTOGPT_TEMPORAL_KEY"].map(readNamed),
  );
  const apiKey = env.AUTOGPT_TEMPORAL_API_KEY;
  const pair = crt && key ? { clientCertPair: { crt, key } } : {};
  const isPlain = (isLocal || env.AUTOGPT_TEMPORAL_PLAIN === "1") && !ca && !crt;
  const tls = isPlain ? {} : { tls: { ...(ca ? { serverRootCACertificate: ca } : {}), ...pair } };
  return { address: host, ...tls, ...(apiKey ? { apiKey } : {}) } satisfies ConnectionOptions;
}

/** A connection to a Temporal server, through which everything is encrypted. Throws a sentence if it can't be reached. */
export async function connectToTemporal(
  address: TemporalAddress,
  key: FleetKey,
  env: Environment,
): Promise<{ readonly client: Client; close(): Promise<void> }> {
  const options = await readConnectionOptions(address, env);
  const how = { ...options, connectTimeout: "10 seconds", channelArgs: CHANNEL } as const;
  const connection = await Connection.connect(how).catch((error: unknown) =>
    fail("temporal.unreachable", { host: address.host, why: getErrorMessage(error) }),
  );
  try {
    await demandFitServer(connection, address);
  } catch (error) {
    await connection.close();
    throw error;
  }
  const dataConverter = { payloadCodecs: [createFleetCodec(key)] };
  const client = new Client({ connection, namespace: address.namespace, dataConverter, identity: IDENTITY });
  return { client, close: () => connection.close() };
}

/** By default, a client waits up to two minutes between attempts to reach a server again. */
const CHANNEL = { "grpc.max_reconnect_backoff_ms": 2_000 };

/** In place of the library's own, which would show the server the name of this machine. */
const IDENTITY = "autogpt";

/** Older servers can't list runs by their queue. */
const OLDEST = { major: 1, minor: 20 };

/** Throws a sentence if the server can't be used, or has no such namespace. */
async function demandFitServer({ workflowService }: Connection, address: TemporalAddress): Promise<void> {
  const { host, namespace } = address;
  const [{ serverVersion }] = await Promise.all([
    workflowService.getSystemInfo({}),
    workflowService.describeNamespace({ namespace }),
  ]).catch((error: unknown) => Promise.reject(explainFailure(error, address)));
  if (isOldServer(serverVersion ?? "")) fail("temporal.tooOld", { host, version: serverVersion ?? "" });
}

/** Whether a server says that it has too old a version. Hosted ones may not say any. */
export function isOldServer(version: string): boolean {
  const [, major, minor] = /^(\d+)\.(\d+)/.exec(version)?.map(Number) ?? [];
  if (major === undefined || minor === undefined) return false;
  return major < OLDEST.major || (major === OLDEST.major && minor < OLDEST.minor);
}
