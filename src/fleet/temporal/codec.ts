import { promisify } from "node:util";
import { type BrotliOptions, brotliCompress, brotliDecompress, constants } from "node:zlib";
import { METADATA_ENCODING_KEY, type Payload, type PayloadCodec } from "@temporalio/common";
import { isObject, tryJson } from "../../core/base/json.ts";
import { fail } from "../../texts/display-text.ts";
import type { FleetKey } from "../key.ts";

const ENCODING = Buffer.from("binary/autogpt-fleet-1");
const PURPOSE = "temporal";

/** Temporal takes 2 MB; a larger value was made to fill the memory. */
const MOST_BYTES = 64 * 1024 * 1024;
/** A question shows its texts several times, which costs little with a window that holds all of them. */
const COMPRESSION = {
  params: { [constants.BROTLI_PARAM_QUALITY]: 4, [constants.BROTLI_PARAM_LGWIN]: 24 },
} satisfies BrotliOptions;
const compress = promisify<Buffer, BrotliOptions, Buffer>(brotliCompress);
const expand = promisify<Buffer, BrotliOptions, Buffer>(brotliDecompress);

/** Temporal refuses values of 2 MB. */
const MOST_SENT_BYTES = 1_800_000;
const SURELY_FITS = 500_000;

/** Whether a text is too long for Temporal, although it's compressed. */
export async function isTooLong(text: string): Promise<boolean> {
  return text.length > SURELY_FITS && (await compress(Buffer.from(text), COMPRESSION)).length > MOST_SENT_BYTES;
}

/** Encrypts all that Temporal's server stores with the fleet key: it sees IDs, times and states. Refuses what isn't encrypted with it. */
export function createFleetCodec(key: Pick<FleetKey, "encrypt" | "decrypt">): PayloadCodec {
  const encode = async (payload: Payload): Promise<Payload> => ({
    metadata: { [METADATA_ENCODING_KEY]: ENCODING },
    data: key.encrypt(PURPOSE, await compress(packPayload(payload), COMPRESSION)),
  });
  const decrypt = (data: Uint8Array): Buffer => {
    try {
      return key.decrypt(PURPOSE, Buffer.from(data));
    } catch {
      return fail("temporal.otherKey");
    }
  };
  const decode = async ({ metadata, data }: Payload): Promise<Payload> => {
    const encoding = metadata?.[METADATA_ENCODING_KEY];
    if (!data || !encoding || !ENCODING.equals(encoding))
      throw new Error("A value of the fleet isn't encrypted with its key.");
    return unpackPayload(await expand(decrypt(data), { maxOutputLength: MOST_BYTES }));
  };
  return {
    encode: (payloads) => Promise.all(payloads.map(encode)),
    decode: (payloads) => Promise.all(payloads.map(decode)),
  };
}

/** The bytes of a value, behind a line with its metadata. */
function packPayload({ metadata, data }: Payload): Buffer {
  const entries = Object.entries(metadata ?? {}).map(([name, value]) => [name, Buffer.from(value).toString("base64")]);
  return Buffer.concat([Buffer.from(`${JSON.stringify(Object.fromEntries(entries))}\n`), Buffer.from(data ?? [])]);
}

function unpackPayload(bytes: Buffer): Payload {
  const end = bytes.indexOf(10);
  const named: unknown = tryJson(bytes.subarray(0, end).toString());
  const entries = Object.entries(isObject(named) ? named : {});
  const metadata = entries.map(([name, value]) => [name, Buffer.from(String(value), "base64")] as const);
  return { metadata: Object.fromEntries(metadata), data: bytes.subarray(end + 1) };
}
