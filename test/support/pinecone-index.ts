/** A status other than success. */
export class PineconeRefusal extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

type Body = Readonly<Record<string, unknown>>;
type Metadata = Readonly<Record<string, unknown>>;

interface StoredRecord {
  readonly id: string;
  readonly values: readonly number[];
  readonly metadata: Metadata;
}

/** A state of a record that readers see from some time on. */
interface Version {
  readonly visibleAt: number;
  readonly record: StoredRecord | undefined;
}

const MOST_RECORDS = 1_000;
const MOST_METADATA_BYTES = 40 * 1024;
const MOST_RESULT_BYTES = 4 * 1024 * 1024;
const MOST_PAGE = 100;

/** The records of an index, under the limits that Pinecone documents. */
export class PineconeIndexData {
  readonly dimension: number;
  readonly metric: string;
  /** How long a change to a record stays invisible, in milliseconds. */
  delayMs: () => number = () => 0;
  private readonly namespaces = new Map<string, Map<string, Version[]>>();

  constructor(dimension: number, metric: string) {
    this.dimension = dimension;
    this.metric = metric;
  }

  /** Forgets everything, as if the index was deleted and made again. */
  clear(): void {
    this.namespaces.clear();
  }

  upsert({ vectors, namespace, ...others }: Body): object {
    refuse(Object.keys(others).length > 0, "There is an unknown field.");
    if (!Array.isArray(vectors) || vectors.length === 0) throw new PineconeRefusal(400, "There are no vectors.");
    refuse(vectors.length > MOST_RECORDS, "There are more than 1,000 records.");
    const records = vectors.map((vector: Body) => this.checkRecord(vector));
    for (const record of records) this.change(checkNamespace(namespace), record.id, record);
    return { upsertedCount: records.length };
  }

  fetch(namespace: string, ids: readonly string[]): object {
    refuse(ids.length === 0 || ids.length > MOST_RECORDS, "There must be 1 to 1,000 IDs.");
    const found = this.listVisible(namespace).filter(({ id }) => ids.includes(id));
    return {
      namespace,
      vectors: Object.fromEntries(found.map((record) => [record.id, record])),
      usage: { readUnits: 1 },
    };
  }

  fetchByMetadata({ namespace, filter, limit = MOST_PAGE, paginationToken, ...others }: Body): object {
    refuse(Object.keys(others).length > 0, "There is an unknown field.");
    const name = checkNamespace(namespace);
    const found = this.listVisible(name).filter(({ metadata }) => isMatch(metadata, filter));
    const { page, pagination } = paginate(found, `m${name}`, limit, paginationToken);
    return { namespace: name, vectors: Object.fromEntries(page.map((record) => [record.id, record])), ...pagination };
  }

  list(parameters: URLSearchParams): object {
    const { namespace = "", prefix = "", limit = "100", paginationToken, ...others } = Object.fromEntries(parameters);
    refuse(Object.keys(others).length > 0, "There is an unknown parameter.");
    const found = this.listVisible(namespace).filter(({ id }) => id.startsWith(prefix));
    const { page, pagination } = paginate(found, `l${namespace} ${prefix}`, Number(limit), paginationToken);
    return { namespace, vectors: page.map(({ id }) => ({ id })), ...pagination, usage: { readUnits: 1 } };
  }

  query(body: Body): object {
    const { namespace, vector, topK, filter, includeMetadata = false, includeValues = false, ...others } = body;
    refuse(Object.keys(others).length > 0, "There is an unknown field.");
    refuse(!Number.isInteger(topK) || Number(topK) < 1 || Number(topK) > 10_000, "topK must be 1 to 10,000.");
    const wanted = this.checkValues(vector);
    const found = this.listVisible(checkNamespace(namespace)).filter(({ metadata }) => isMatch(metadata, filter));
    const scored = found.map(({ id, values, metadata }) => ({
      id,
      score: this.score(wanted, values),
      values: includeValues ? values : [],
      ...(includeMetadata ? { metadata } : {}),
    }));
    const matches = scored.toSorted((one, other) => other.score - one.score).slice(0, Number(topK));
    refuse(JSON.stringify(matches).length > MOST_RESULT_BYTES, "The result is larger than 4 MB.");
    return { namespace, matches, usage: { readUnits: 1 } };
  }

  delete({ ids, namespace, ...others }: Body): object {
    refuse(Object.keys(others).length > 0, "Only deletion by IDs is expected.");
    if (!Array.isArray(ids) || ids.length === 0 || ids.length > MOST_RECORDS)
      throw new PineconeRefusal(400, "There must be 1 to 1,000 IDs.");
    for (const id of ids) this.change(checkNamespace(namespace), String(id), undefined);
    return {};
  }

  describeStats(): object {
    const counts = [...this.namespaces.keys()].map((name) => [name, { vectorCount: this.listVisible(name).length }]);
    return { namespaces: Object.fromEntries(counts), dimension: this.dimension, metric: this.metric, indexFullness: 0 };
  }

  private change(namespace: string, id: string, record: StoredRecord | undefined): void {
    const records = this.namespaces.get(namespace) ?? new Map<string, Version[]>();
    this.namespaces.set(namespace, records);
    const versions = records.get(id) ?? [];
    records.set(id, [...versions, { visibleAt: performance.now() + this.delayMs(), record }]);
  }

  /** The records as a reader sees them now, in the order of their IDs. */
  private listVisible(namespace: string): readonly StoredRecord[] {
    const now = performance.now();
    const records = [...(this.namespaces.get(namespace)?.values() ?? [])].flatMap((versions) => {
      const record = versions.findLast(({ visibleAt }) => visibleAt <= now)?.record;
      return record ? [record] : [];
    });
    return records.toSorted((one, other) => (one.id < other.id ? -1 : 1));
  }

  private checkRecord({ id, values, metadata = {}, ...others }: Body): StoredRecord {
    refuse(Object.keys(others).length > 0, "A record has an unknown field.");
    if (typeof id !== "string" || !/^\p{ASCII}{1,512}$/u.test(id))
      throw new PineconeRefusal(400, "An ID has 1 to 512 ASCII characters.");
    return { id, values: this.checkValues(values), metadata: checkMetadata(metadata) };
  }

  private checkValues(values: unknown): readonly number[] {
    if (!Array.isArray(values) || values.length !== this.dimension)
      throw new PineconeRefusal(400, `Vector dimension doesn't match the dimension of the index ${this.dimension}`);
    refuse(!values.every((value) => typeof value === "number"), "A vector has something else than numbers.");
    refuse(
      values.every((value) => Math.abs(value) < 1e-8),
      "Dense vectors must contain at least one non-zero value.",
    );
    return [...Float32Array.from(values)];
  }

  private score(one: readonly number[], other: readonly number[]): number {
    const product = multiply(one, other);
    return this.metric === "cosine" ? product / Math.sqrt(multiply(one, one) * multiply(other, other)) : product;
  }
}

function multiply(one: readonly number[], other: readonly number[]): number {
  return one.reduce((sum, value, place) => sum + value * (other[place] ?? 0), 0);
}

function refuse(isWrong: boolean, message: string): void {
  if (isWrong) throw new PineconeRefusal(400, message);
}

function checkNamespace(namespace: unknown): string {
  if (typeof namespace !== "string" || !/^[\x20-\x7e]{1,512}$/.test(namespace))
    throw new PineconeRefusal(400, "A namespace has 1 to 512 ASCII characters.");
  return namespace;
}

function checkMetadata(metadata: unknown): Metadata {
  if (typeof metadata !== "object" || metadata === null || Array.isArray(metadata))
    throw new PineconeRefusal(400, "Metadata must be an object.");
  for (const [name, value] of Object.entries(metadata)) {
    refuse(name.startsWith("$"), `Metadata field names may not begin with $: ${name}`);
    const isList = Array.isArray(value) && value.every((item) => typeof item === "string");
    refuse(
      !isList && !["string", "number", "boolean"].includes(typeof value),
      `Metadata value of ${name} isn't allowed.`,
    );
  }
  const bytes = Buffer.byteLength(JSON.stringify(metadata));
  refuse(
    bytes > MOST_METADATA_BYTES,
    `Metadata size is ${bytes} bytes, which exceeds the limit of 40960 bytes per vector`,
  );
  return metadata as Metadata;
}

/** Only the operators that the log uses; others aren't accepted. */
function isMatch(metadata: Metadata, filter: unknown): boolean {
  if (filter === undefined) return true;
  if (typeof filter !== "object" || filter === null || Object.keys(filter).length === 0)
    throw new PineconeRefusal(400, "The filter isn't an object.");
  return Object.entries(filter).every(([field, condition]: [string, unknown]) => {
    const [[operator, wanted] = [], ...others] = Object.entries(condition as object);
    refuse(others.length > 0, "A field has one condition.");
    if (operator === "$eq") return metadata[field] === wanted;
    if (operator !== "$in" || !Array.isArray(wanted) || wanted.length > 10_000)
      throw new PineconeRefusal(400, `The operator ${operator} isn't allowed.`);
    return wanted.includes(metadata[field]);
  });
}

/** A page that follows a token, which is valid for one kind of request only. */
function paginate(records: readonly StoredRecord[], kind: string, limit: unknown, token: unknown) {
  refuse(!Number.isInteger(limit) || Number(limit) < 1 || Number(limit) > MOST_PAGE, "The limit must be 1 to 100.");
  const [after = "", given = kind] =
    token === undefined ? [] : Buffer.from(String(token), "base64").toString().split("\n");
  refuse(given !== kind, "Invalid pagination token");
  const rest = records.filter(({ id }) => id > after);
  const page = rest.slice(0, Number(limit));
  const next = Buffer.from(`${page.at(-1)?.id}\n${kind}`).toString("base64");
  return { page, pagination: rest.length > page.length ? { pagination: { next } } : {} };
}
