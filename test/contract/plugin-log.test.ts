import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as pause } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { openMemory } from "../../src/memory/open-memory.ts";
import { PluginMemoryStores } from "../../src/memory/shared/plugin-log.ts";
import { SHARED_LOGS } from "../../src/memory/shared/shared-logs.ts";
import type { SharedMemoryOptions } from "../../src/memory/shared/team-memory.ts";
import { MemoryError } from "../../src/memory/store/memory-error.ts";
import { writeInEnglish } from "../../src/texts/display-text.ts";
import { shippedTable } from "../support/shipped-table.ts";
import { tempFolders } from "../support/temp-folders.ts";
import { type PlantedRow, sharedLogContract } from "./shared-log.contract.ts";
import { teamMemoryContract } from "./team-memory.contract.ts";

const ROOT = join(import.meta.dirname, "../..");
const MAX_ROW_CHARS = 16_000;

/** A row of the service, whose shape it doesn't know. */
interface ServiceRow {
  readonly project: string;
  readonly author: string;
  readonly id: string;
  readonly text: string;
  readonly removed?: true;
}

/** The service of the example: a log of rows in the memory of a process, over HTTP. */
class NotesService {
  private readonly server: Server = createServer((request, response) => {
    void text(request).then((body) => response.end(JSON.stringify(this.answer(request.url ?? "", JSON.parse(body)))));
  });
  private numbered: (readonly [number, ServiceRow])[] = [];
  private next = 1;

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, "127.0.0.1", resolve));
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.server.closeAllConnections();
    this.server.close();
  }

  plant(rows: readonly ServiceRow[]): void {
    for (const row of rows) this.numbered.push([this.next++, row]);
  }

  private answer(
    method: string,
    asked: {
      project: string;
      rows: ServiceRow[];
      marks: ServiceRow[];
      after?: string;
      limit: number;
      count?: number;
    },
  ) {
    const { project, rows, marks, after = "0", limit, count = 0 } = asked;
    switch (method) {
      case "/append":
        this.plant(rows.filter((row) => !this.has(row)));
        return {};
      case "/remove":
        for (const mark of marks.filter((row) => this.has(row))) {
          this.numbered = this.numbered.filter(([, row]) => !isSame(row, mark));
          this.plant([mark]);
        }
        return {};
      case "/tail":
        return { cursor: String(this.ofProject(project).at(-1 - count)?.[0] ?? 0) };
      case "/count":
        return { count: this.ofProject(project).filter(([, row]) => !row.removed).length };
      default: {
        const found = this.ofProject(project)
          .filter(([number]) => number > Number(after))
          .slice(0, limit);
        const sent = found.map(([, row]) => (row.text.length > MAX_ROW_CHARS ? null : row));
        return { rows: sent, cursor: String(found.at(-1)?.[0] ?? after) };
      }
    }
  }

  private ofProject(project: string) {
    return this.numbered.filter(([, row]) => row.project === project);
  }

  private has(wanted: ServiceRow): boolean {
    return this.numbered.some(([, row]) => isSame(row, wanted) && !row.removed);
  }
}

function isSame(one: ServiceRow, other: ServiceRow): boolean {
  return one.project === other.project && one.author === other.author && one.id === other.id;
}

describe("a plugin's store for a team's memory", () => {
  const stores = new PluginMemoryStores();
  const service = new NotesService();
  const tempFolder = tempFolders();
  let url = "";
  before(async () => {
    const page = await readFile(join(ROOT, "docs/plugins.md"), "utf8");
    const [, code = ""] = /## A store for a team's memory\n.*?^```ts\n(.*?)^```$/ms.exec(page) ?? [];
    const file = join(await tempFolder(), "store.mjs");
    await writeFile(file, code);
    const { store } = await import(pathToFileURL(file).href);
    stores.register(store);
    url = `notes-service:${await service.start()}`;
  });
  after(() => service.stop());
  const plant = (rows: readonly PlantedRow[]): void =>
    service.plant(rows.map(({ at, ...row }) => ({ ...row, at: Date.parse(at) })));

  sharedLogContract("the example in docs/plugins.md", () => ({
    hasVectors: false,
    open: ({ project, author, getNow }) =>
      SHARED_LOGS.plugin.open({
        url,
        project,
        author,
        findStore: (id) => stores.get(id),
        ...(getNow ? { getNow } : {}),
      }),
    plant: async (rows) => plant(rows),
  }));

  teamMemoryContract("the example in docs/plugins.md", () => ({
    hasVectors: false,
    shared: { backend: "plugin", url, findStore: (id) => stores.get(id) },
    plant: async (rows) => plant(rows),
  }));

  it("has a name of its own, and can be taken away", () => {
    const own = { id: "own", name: "Own", open: () => assert.fail("It isn't opened.") };
    const take = stores.register(own);
    assert.throws(() => stores.register(own), /needs an id of its own/);
    take();
    assert.equal(stores.get("own"), undefined);
  });

  const bad: Readonly<Record<string, unknown>> = {
    nothing: undefined,
    "no rows": { cursor: "1" },
    "a cursor that is none": { rows: [], cursor: { evil: true } },
    "more rows than were asked for": { rows: Array(11).fill({}), cursor: "1" },
  };
  for (const [name, answer] of Object.entries(bad))
    it(`is refused with an answer of ${name}`, async () => {
      const take = stores.register({
        id: "bad",
        name: "Bad",
        open: () => ({
          append: async () => undefined,
          remove: async () => undefined,
          // biome-ignore lint/suspicious/noExplicitAny: a plugin may return anything.
          pull: async () => answer as any,
        }),
      });
      const log = SHARED_LOGS.plugin.open({
        url: "bad:",
        project: "p",
        author: "Ada",
        findStore: (id) => stores.get(id),
      });
      take();
      await assert.rejects(log.pull({ limit: 10 }), MemoryError);
    });

  /** A memory that is shared through a store, which counts how often it is asked for rows. */
  const asked = async (id: string, page: { readonly rows: readonly unknown[]; readonly cursor: string }) => {
    let times = 0;
    const register = () =>
      stores.register({
        id,
        name: id,
        open: () => ({
          append: async () => undefined,
          remove: async () => undefined,
          pull: async () => {
            times += 1;
            return page;
          },
        }),
      });
    const shared: SharedMemoryOptions = {
      backend: "plugin",
      ...{ url: `${id}:`, project: "p", kinds: ["note"] },
      getAuthor: async () => "Ada",
      findStore: (wanted) => stores.get(wanted),
    };
    const open = async () => openMemory({ folder: await tempFolder(), embedder: shippedTable(), shared });
    return { register, open, times: () => times };
  };

  it("isn't asked without end if it gets no further", async () => {
    const { register, open, times } = await asked("stuck", { rows: Array(500).fill({}), cursor: "1" });
    const take = register();
    const memory = await open();
    await pause(300);
    take();
    await memory.close();
    assert.ok(times() > 0 && times() < 10, `It was asked ${times()} times.`);
  });

  it("is used once its extension is there, although the memory was opened before", async () => {
    const { register, open, times } = await asked("late", { rows: [], cursor: "" });
    const memory = await open();
    while (memory.state.notices.length === 0) await pause(5);
    const take = register();
    for (const last = performance.now() + 5_000; times() === 0 && performance.now() < last; ) await pause(20);
    take();
    await memory.close();
    assert.ok(times() > 0);
  });

  it("is asked for by name if no extension brings it", () => {
    try {
      SHARED_LOGS.plugin.open({ url: "weaviate:https://example.com", project: "p", author: "Ada" });
      assert.fail("It opened.");
    } catch (error) {
      assert.match(
        error instanceof MemoryError ? writeInEnglish(error.text) : "",
        /No extension brings the store weaviate/,
      );
    }
  });
});
