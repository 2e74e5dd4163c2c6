import type { Message, Root } from "protobufjs";

/*
 * The parts of Milvus' protocol that the log uses, from github.com/milvus-io/milvus-proto (Apache-2.0). Fields that aren't listed are
 * skipped in answers, and have their default in requests.
 */

/** The fields of a message, each with its type and number. A repeated field's type begins with `*`. */
type Fields = Readonly<Record<string, readonly [type: string, number: number]>>;

const TARGET: Fields = { dbName: ["string", 2], collectionName: ["string", 3] };

const MESSAGES = {
  Pair: { key: ["string", 1], value: ["string", 2] },
  Status: { errorCode: ["int32", 1], reason: ["string", 2], code: ["int32", 3] },
  Answer: { status: ["Status", 1] },
  FieldSchema: {
    fieldID: ["int64", 1],
    name: ["string", 2],
    isPrimaryKey: ["bool", 3],
    dataType: ["int32", 5],
    typeParams: ["*Pair", 6],
  },
  CollectionSchema: { name: ["string", 1], autoID: ["bool", 3], fields: ["*FieldSchema", 4] },
  CreateCollection: {
    ...TARGET,
    schema: ["CollectionSchema", 4],
    shardsNum: ["int32", 5],
    consistencyLevel: ["int32", 6],
  },
  DescribeCollection: TARGET,
  Description: { status: ["Status", 1], collectionID: ["int64", 3], createdTimestamp: ["uint64", 6] },
  CreateIndex: { ...TARGET, fieldName: ["string", 4], extraParams: ["*Pair", 5], indexName: ["string", 6] },
  LoadCollection: { ...TARGET, replicaNumber: ["int32", 4] },
  Bools: { data: ["*bool", 1] },
  Longs: { data: ["*int64", 1] },
  Floats: { data: ["*float", 1] },
  Strings: { data: ["*string", 1] },
  Scalars: { bools: ["Bools", 1], longs: ["Longs", 3], strings: ["Strings", 6] },
  Vectors: { dim: ["int64", 1], floats: ["Floats", 2] },
  FieldData: {
    type: ["int32", 1],
    fieldName: ["string", 2],
    scalars: ["Scalars", 3],
    vectors: ["Vectors", 4],
  },
  Insert: { ...TARGET, fieldsData: ["*FieldData", 5], numRows: ["uint32", 7] },
  Delete: { ...TARGET, expr: ["string", 5], consistencyLevel: ["int32", 7] },
  Query: {
    ...TARGET,
    expr: ["string", 4],
    outputFields: ["*string", 5],
    guaranteeTimestamp: ["uint64", 8],
    queryParams: ["*Pair", 9],
    consistencyLevel: ["int32", 11],
  },
  QueryResults: { status: ["Status", 1], fieldsData: ["*FieldData", 2] },
  Placeholder: { tag: ["string", 1], type: ["int32", 2], values: ["*bytes", 3] },
  Placeholders: { placeholders: ["*Placeholder", 1] },
  Search: {
    ...TARGET,
    dsl: ["string", 5],
    placeholderGroup: ["Placeholders", 6],
    dslType: ["int32", 7],
    searchParams: ["*Pair", 9],
    nq: ["int64", 12],
    consistencyLevel: ["int32", 14],
  },
  SearchResults: { status: ["Status", 1], results: ["Found", 2] },
  Ids: { strings: ["Strings", 2] },
  Found: { scores: ["*float", 4], ids: ["Ids", 5] },
} as const satisfies Readonly<Record<string, Fields>>;

export type MessageName = keyof typeof MESSAGES;

/** Writes and reads messages. */
export interface MilvusCodec {
  encode(name: MessageName, fields: object): Uint8Array;
  /** Decodes a message. 64-bit numbers become strings. Throws if the bytes aren't a message. */
  decode(name: MessageName, bytes: Uint8Array): Readonly<Record<string, unknown>>;
}

/** Loads the library that writes and reads messages. */
export async function loadMilvusCodec(): Promise<MilvusCodec> {
  const protobuf = await import("protobufjs");
  const root: Root = protobuf.Root.fromJSON({
    nested: Object.fromEntries(Object.entries(MESSAGES).map(convertMessageType)),
  });
  return {
    encode(name, fields) {
      const type = root.lookupType(name);
      return type.encode(type.fromObject(fields)).finish();
    },
    decode(name, bytes) {
      const type = root.lookupType(name);
      const message: Message = type.decode(bytes);
      return type.toObject(message, { longs: String, defaults: true });
    },
  };
}

function convertMessageType([name, fields]: readonly [string, Fields]) {
  const described = Object.entries(fields).map(([field, [type, id]]) => {
    const repeated = type.startsWith("*");
    return [field, { type: repeated ? type.slice(1) : type, id, ...(repeated ? { rule: "repeated" } : {}) }];
  });
  return [name, { fields: Object.fromEntries(described) }];
}
