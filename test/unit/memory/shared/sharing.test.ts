import assert from "node:assert/strict";
import { openPostgresLog } from "../../../../src/memory/shared/servers/postgres-log.ts";
import { findAddressTrouble } from "../../../../src/memory/shared/shared-logs.ts";
import { sanitizeSharedItem } from "../../../../src/memory/shared/shared-rows.ts";
import {
  computeAgreementKey,
  findSharingPlace,
  getPasswordAddress,
  getServerLabel,
  getSharedServerName,
  splitPassword,
} from "../../../../src/memory/shared/sharing.ts";
import { MemoryError } from "../../../../src/memory/store/memory-error.ts";
import { SHARED_LIMITS } from "../../../../src/schema/formats.ts";
import { DEFAULT_SETTINGS } from "../../../../src/schema/read-settings.ts";
import { sharedNote } from "../../../contract/shared-log.contract.ts";

const URL = "postgres://ada@db.example/team";

const memory = { ...DEFAULT_SETTINGS.memory, backend: "postgres", url: URL } as const;

describe("where a memory is shared", () => {
  it("is nowhere unless the user names a server, and the project is known", () => {
    const remote = "https://git.example/team/name.git";
    assert.deepEqual(
      [
        findSharingPlace(DEFAULT_SETTINGS.memory, remote),
        findSharingPlace({ ...memory, url: " " }, remote),
        findSharingPlace(memory, undefined),
        findSharingPlace(memory, "/srv/git/name"),
        findSharingPlace(memory, "file:///srv/git/name"),
        findSharingPlace(memory, "ftp://git.example/team/name"),
        findSharingPlace(memory, "ssh:/team/name"),
      ],
      Array(7).fill(undefined),
    );
  });

  it("is the same project for every form of a repository's address, without credentials", () => {
    const forms = [
      "https://git.example/team/name.git",
      "https://ada:secret@GIT.example:8443/team/name/",
      "git@Git.example:team/name.git",
      "ssh://git@git.example:22/team/name",
    ];
    const projects = forms.map((remote) => findSharingPlace(memory, remote)?.project);
    assert.deepEqual(new Set(projects), new Set(["git.example/team/name"]));
  });

  it("is the project that the user names, on one line", () => {
    assert.equal(findSharingPlace({ ...memory, project: " my\nproject " }, "git@a:b/c")?.project, "my project");
  });

  it("is at an address without the password that a hosting service shows in it", () => {
    assert.deepEqual(
      [
        "postgresql://postgres.abc:p%40ss:w0rd@aws.pooler.example:6543/postgres",
        " rediss://default:a%zz@db.example:6379 ",
        "postgres://ada@db.example/team?x=1:2@3",
        "https://db.example:19530",
      ].map(splitPassword),
      [
        { url: "postgresql://postgres.abc@aws.pooler.example:6543/postgres", secret: "p@ss:w0rd" },
        { url: "rediss://default@db.example:6379", secret: "a%zz" },
        { url: "postgres://ada@db.example/team?x=1:2@3", secret: "" },
        { url: "https://db.example:19530", secret: "" },
      ],
    );
  });

  it("is at an address without a password that has characters of addresses in it, none of which is shown", () => {
    const addresses = [
      "postgres://u:pa/ss@host/db",
      "postgres://u:pa?ss#@host:5432/db",
      "postgres://u:12/ss@host/db",
      "redis://:12?ss@host",
      "postgres://u:p@ss@host/db?x=a@b",
      "postgres://host:5432/db?x=a@b",
      "redis://host:6379?ca=/a@b",
      "redis://[::1]:6379?ca=/a@b",
    ];
    const split = addresses.map((each) => {
      const { url, secret } = splitPassword(each);
      return [url, secret, getSharedServerName(each)];
    });
    assert.deepEqual(split, [
      ["postgres://u@host/db", "pa/ss", "host"],
      ["postgres://u@host:5432/db", "pa?ss#", "host:5432"],
      ["postgres://u@host/db", "12/ss", "host"],
      ["redis://@host", "12?ss", "host"],
      ["postgres://u@host/db?x=a@b", "p@ss", "host"],
      ["postgres://host:5432/db?x=a@b", "", "host:5432"],
      ["redis://host:6379?ca=/a@b", "", "host:6379"],
      ["redis://[::1]:6379?ca=/a@b", "", "[::1]:6379"],
    ]);
  });

  it("is checked for its form before anything connects", () => {
    const trouble = (backend: "postgres" | "redis" | "pinecone" | "milvus", url: string) => {
      const found = findAddressTrouble(backend, url);
      return typeof found === "string" ? found : found?.code;
    };
    assert.deepEqual(
      [
        trouble("postgres", ` ${URL} `),
        trouble("postgres", "localhost:5432/team"),
        trouble("postgres", "postgres://ada:secret@db.example/team"),
        trouble("redis", URL),
        trouble("redis", "redis://db.example:6379"),
        trouble("pinecone", "https://api.pinecone.io/team"),
        trouble("pinecone", "https://api.example.com/team"),
        trouble("milvus", "https://db.example:19530"),
        trouble("redis", "rediss://100%@db.example:6379"),
        trouble("postgres", "postgres://100%@db.example/100%"),
      ],
      [
        undefined,
        "trouble.sharedUrl",
        "trouble.sharedUrlSecret",
        "trouble.sharedUrl",
        "trouble.sharedNotEncryptedBy",
        undefined,
        "trouble.sharedUrl",
        "trouble.sharedNoMilvus",
        undefined,
        undefined,
      ],
    );
  });

  it("needs another agreement for another folder, server or project", () => {
    const place = { backend: "postgres", url: URL, project: "a" } as const;
    const keys = [
      computeAgreementKey("/one", place),
      computeAgreementKey("/two", place),
      computeAgreementKey("/one", { ...place, project: "b" }),
      computeAgreementKey("/one", { ...place, url: `${URL}2` }),
    ];
    assert.equal(new Set(keys).size, 4);
  });

  it("has a password for each server, and a name without the user", () => {
    assert.deepEqual(
      [
        getPasswordAddress(memory) === getPasswordAddress({ ...memory, url: `${URL} ` }),
        getPasswordAddress(memory) === getPasswordAddress({ ...memory, url: `${URL}2` }),
        getPasswordAddress(memory) === getPasswordAddress({ ...memory, backend: "plugin" }),
        getSharedServerName("postgres://ada:x@db.example:5433/team"),
        getSharedServerName("postgres:///team?host=/tmp"),
        getSharedServerName("postgres://ada@db.example/team?host=other.example"),
      ],
      [true, false, false, "db.example:5433", "localhost", "other.example"],
    );
  });
});

describe("the name of a server", () => {
  it("is that of its address, or the one that an extension gives its store", () => {
    const stores = (id: string) => (id === "weaviate" ? { name: "Weaviate" } : undefined);
    const plugin = { backend: "plugin", url: "weaviate:https://db.example" } as const;
    assert.deepEqual(
      [
        getServerLabel({ backend: "postgres", url: "postgres:///team?host=/tmp" }, stores),
        getServerLabel(plugin, stores),
        getServerLabel(plugin, undefined),
      ],
      ["localhost", "Weaviate", "weaviate"],
    );
  });
});

describe("a vector that is shared", () => {
  it("is left out if it's longer than a row may have", () => {
    const sizes = [SHARED_LIMITS.vector, SHARED_LIMITS.vector + 1].map((length) => {
      const embedded = { embedder: "one", vector: new Float32Array(length) };
      return sanitizeSharedItem(sharedNote("one", { embedded })).embedded?.vector.length;
    });
    assert.deepEqual(sizes, [SHARED_LIMITS.vector, undefined]);
  });
});

describe("the address of a PostgreSQL database", () => {
  const refused = (url: string): string => {
    try {
      openPostgresLog({ url, project: "p", author: "a" });
      return "";
    } catch (error) {
      return error instanceof MemoryError ? error.message.slice(0, 60) : String(error);
    }
  };

  it("is refused with a sentence if it's wrong, has a password, or turns encryption off", () => {
    assert.deepEqual(
      [
        "https://db.example/team",
        "nonsense",
        "postgres://ada:pw@db/team",
        `${URL}?password=x`,
        `${URL}?sslmode=disable`,
      ].map(refused),
      [
        "The address of the team's memory can't be used. It should lo",
        "The address of the team's memory can't be used. It should lo",
        "The address of the team's memory has a password in it. Take ",
        "The address of the team's memory has a password in it. Take ",
        "The address of the team's memory turns encryption off, which",
      ],
    );
  });

  it("may be a socket, this machine, or a server with TLS", () => {
    const good = [
      "postgres:///team?host=/run/postgresql",
      "postgresql://ada@127.0.0.1:5433/team?sslmode=disable",
      `${URL}?sslmode=require`,
    ];
    assert.deepEqual(good.map(refused), ["", "", ""]);
  });

  it("that no server answers at is reported, with its host", async () => {
    const log = openPostgresLog({ url: "postgres://ada@127.0.0.1:1/team", project: "p", author: "a" });
    await assert.rejects(log.count(), /team's memory on 127\.0\.0\.1 can't be used right now.*ECONNREFUSED/);
  });
});
