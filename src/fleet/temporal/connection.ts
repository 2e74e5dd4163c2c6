import { connect as connectPlain, isIP } from "node:net";
import { connect as connectTls, createSecureContext } from "node:tls";
import { Client, Connection, type ConnectionOptions } from "@temporalio/client";
import { getErrorMessage } from "../../core/base/errors.ts";
import { omitUndefined } from "../../core/base/objects.ts";
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
  try {
    if (!crt !== !key) throw new Error("a certificate and its key are needed together");
    createSecureContext({ ca, cert: crt, key });
  } catch (error) {
    fail("temporal.badCertificate", { why: `${describeReason(error)}.` });
  }
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
  const connection = await Connection.connect(how).catch(async (error: unknown) => {
    const why = (await findReason(options)) ?? `${getErrorMessage(error)}.`;
    return fail("temporal.unreachable", { host: address.host, why });
  });
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

/** Why a server can't be reached, of which the library only says that it took too long. Undefined if it can be. */
async function findReason({ address, tls }: ConnectionOptions): Promise<string | undefined> {
  const { hostname, port } = new URL(`tcp://${address}`);
  const own = typeof tls === "object" ? tls : undefined;
  const [ca, cert, key] = [own?.serverRootCACertificate, own?.clientCertPair?.crt, own?.clientCertPair?.key].map(
    (bytes) => bytes && Buffer.from(bytes),
  );
  const host = hostname.replace(/^\[|\]$/g, "");
  const to = { host, port: Number(port), ...(isIP(host) === 0 ? { servername: host } : {}) };
  const socket = tls
    ? connectTls({ ...to, ...omitUndefined({ ca, cert, key }), ALPNProtocols: ["h2"] })
    : connectPlain(to);
  return new Promise<string | undefined>((resolve) => {
    socket.once(tls ? "secureConnect" : "connect", () => resolve(undefined));
    socket.once("error", (error) => resolve(`${describeReason(error)}.`));
    socket.setTimeout(REASON_MS, () => resolve(undefined));
  }).finally(() => socket.destroy());
}

const REASON_MS = 5_000;

/** OpenSSL has a reason within the message, and Node adds advice for those who start it. */
function describeReason(error: unknown): string {
  const why = error instanceof Error && "reason" in error ? String(error.reason) : getErrorMessage(error);
  return why.replace(/; if the root CA .*$/, "");
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
