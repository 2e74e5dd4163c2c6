import { createHash } from "node:crypto";
import { parse } from "yaml";
import { type ApiDocuments, isObject, type Json, type ReadDocument, tryJson } from "../../../src/plugins/library.ts";

const MOST_BYTES = 20_000_000;
const MOST_DOCUMENTS = 50;
/** The limit for YAML, which is parsed so slowly that more would block everything else. */
const MOST_YAML = 2_000_000;

/** Reads a description and all documents it refers to in the same origin or folder. Throws a sentence. */
export async function readDocuments(address: URL, read: ReadDocument): Promise<ApiDocuments> {
  const start = await loadDescription(address, read);
  const texts = new Map([[start.address.href, start.text]]);
  const refused = new Set<string>();
  let left = MOST_BYTES - start.text.length;
  for (const [at, text] of texts)
    for (const target of listExternalRefs(parseDocument(text), at)) {
      if (texts.has(target.href)) continue;
      if (!isBeside(target, start.address) || texts.size >= MOST_DOCUMENTS) {
        refused.add(target.href);
        continue;
      }
      const other = await read(target, left);
      left -= other.length;
      texts.set(target.href, other);
    }
  return { root: start.address.href, texts, refused: [...refused].sort() };
}

/** The description, or the one named in a ChatGPT manifest (`ai-plugin.json`). */
async function loadDescription(
  address: URL,
  read: ReadDocument,
): Promise<{ readonly address: URL; readonly text: string }> {
  const text = await read(address, MOST_BYTES);
  const { api } = parseDocument(text);
  if (!isObject(api) || typeof api.url !== "string") return { address, text };
  const named = URL.parse(api.url, address);
  if (!named || !isBeside(named, address))
    throw new Error(
      `${address.href} names a description in another place: ${api.url}. Put that address into the settings instead.`,
    );
  return { address: named, text: await read(named, MOST_BYTES) };
}

/** SHA-256 of all documents, including their addresses. */
export function computeDescriptionHash({ texts }: ApiDocuments, more: string): string {
  const hash = createHash("sha256").update(more);
  for (const [address, text] of [...texts].toSorted(([a], [b]) => (a < b ? -1 : 1)))
    hash.update(`\n${address}\n${text.length}\n`).update(text);
  return hash.digest("hex");
}

/** Parses a document that is an object. Throws a sentence for anything else. */
export function parseDocument(text: string): Json {
  const json = tryJson(text);
  if (isObject(json)) return json;
  if (text.length > MOST_YAML)
    throw new Error(`The description is no JSON, and for YAML it's too long (${text.length} characters).`);
  const yaml: unknown = parseYaml(text);
  if (isObject(yaml)) return yaml;
  throw new Error("The description is neither JSON nor YAML with an object in it.");
}

function parseYaml(text: string): unknown {
  try {
    return parse(text, { maxAliasCount: 100, logLevel: "silent" });
  } catch (error) {
    throw new Error("The description is neither JSON nor valid YAML.", { cause: error });
  }
}

/** Addresses of other documents to which a document refers. */
function listExternalRefs(document: Json, at: string): readonly URL[] {
  const found = new Map<string, URL>();
  const left: unknown[] = [document];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    if (typeof next !== "object" || next === null) continue;
    for (const value of Object.values(next)) if (value !== undefined) left.push(value);
    const ref: unknown = "$ref" in next ? next.$ref : undefined;
    const target = typeof ref === "string" && !ref.startsWith("#") ? URL.parse(ref, at) : null;
    if (!target) continue;
    target.hash = "";
    found.set(target.href, target);
  }
  return [...found.values()];
}

/** Whether an address has the same origin, or is a file in the same folder or below. */
function isBeside(target: URL, start: URL): boolean {
  if (start.protocol === "file:")
    return target.protocol === "file:" && target.href.startsWith(new URL(".", start).href);
  return target.origin === start.origin && /^https?:$/.test(target.protocol);
}
