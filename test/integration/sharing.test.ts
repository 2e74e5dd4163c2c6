import assert from "node:assert/strict";
import fs from "node:fs";
import { createRequire } from "node:module";
import os from "node:os";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import * as vscode from "vscode";
import type { WorkspaceMemory } from "../../src/memory/workspace-memory.ts";
import { DEFAULT_SETTINGS } from "../../src/schema/read-settings.ts";
import { TeamSharing } from "../../src/vscode/models/team-sharing.ts";
import { ROOT } from "../host/places.ts";
import { type PostgresServer, startPostgres } from "../support/postgres-server.ts";

type Shipped = typeof import("../../src/memory/open-memory.ts");

const TABLE = { kind: "table", file: path.join(ROOT, "media/embedding-table.bin") } as const;
const SETTINGS = ["memory.backend", "memory.url", "memory.project"];

describe("sharing a memory with a team", () => {
  const { window } = vscode;
  const { showQuickPick, showInputBox, showInformationMessage, showWarningMessage } = window;
  const folders: string[] = [];
  const stores: WorkspaceMemory[] = [];
  let shipped: Shipped;
  let server: PostgresServer | undefined;

  before(async function () {
    this.timeout(120_000);
    shipped = createRequire(import.meta.url)(path.join(ROOT, "dist/memory.cjs"));
    server = await startPostgres();
    if (!server) this.skip();
  });
  after(() => server?.stop());
  afterEach(async () => {
    Object.assign(window, { showQuickPick, showInputBox, showInformationMessage, showWarningMessage });
    for (const store of stores.splice(0)) await store.close();
    for (const folder of folders.splice(0)) fs.rmSync(folder, { recursive: true, force: true });
    const written = vscode.workspace.getConfiguration("autogpt");
    for (const name of SETTINGS) await written.update(name, undefined, vscode.ConfigurationTarget.Global);
  });

  /** A folder of a user who picks these labels and enters these texts, and then reads the messages. */
  const userWith = ({
    picks,
    texts,
    tried = [""],
  }: {
    picks: readonly string[];
    texts: readonly string[];
    tried?: readonly string[];
  }) => {
    const [labels, entered, kept] = [[...picks], [...texts], new Map<string, unknown>()];
    const [said, problems, offered] = [[] as string[], [] as unknown[], [] as (string | undefined)[]];
    const newFolder = () => {
      const made = fs.mkdtempSync(path.join(os.tmpdir(), "sharing-"));
      folders.push(made);
      return made;
    };
    const folder = newFolder();
    Object.assign(window, {
      showQuickPick: async (rows: readonly vscode.QuickPickItem[], { title }: vscode.QuickPickOptions) => {
        said.push(title ?? "");
        const wanted = labels.shift();
        return rows.find(({ label }) => label === wanted);
      },
      showInputBox: async ({ title, value, validateInput }: vscode.InputBoxOptions) => {
        said.push(title ?? "");
        offered.push(value);
        for (const text of tried) problems.push(await validateInput?.(text));
        return entered.shift();
      },
      showInformationMessage: async (text: string) => void said.push(text),
      showWarningMessage: async (text: string, ...buttons: string[]) => void said.push(text, ...buttons),
    });
    const keys = new Map<string, string>();
    const sharing = new TeamSharing(
      {
        keys: () => [...kept.keys()],
        get: <T>(name: string) => kept.get(name) as T | undefined,
        update: async (name: string, value: unknown) => void kept.set(name, value),
      },
      {
        get: async (address) => keys.get(address),
        set: async (address, key) => void keys.set(address, key),
        clear: async (address) => void keys.delete(address),
      },
      { get: () => undefined },
    );
    const settings = () => {
      const { backend, url, project } = {
        ...vscode.workspace.getConfiguration("autogpt").get("memory", DEFAULT_SETTINGS.memory),
      };
      return { ...DEFAULT_SETTINGS, memory: { ...DEFAULT_SETTINGS.memory, backend, url, project } };
    };
    const change = (of = folder) => sharing.change(of, settings(), shipped.addressTrouble);
    const open = async (): Promise<WorkspaceMemory> => {
      const shared = await sharing.resolveSharedServer(folder, settings(), () => undefined);
      const store = await shipped.openWorkspaceMemory(TABLE, {
        folder: path.join(folder, "memory"),
        key: "the key of this machine",
        ...(shared ? { shared } : {}),
      });
      stores.push(store);
      return store;
    };
    return { folder, sharing, settings, change, newFolder, open, said, problems, offered, keys };
  };

  it("is set up step by step: the password leaves the address, and the agreed kinds alone reach the server", async () => {
    if (!server) return;
    const database = await server.newDatabase();
    const address = server.url(database).replace("postgres@", "postgres:top%20secret@");
    const user = userWith({ picks: ["PostgreSQL", "Notes"], texts: [address, "shop"] });
    const decision = await user.change();
    const store = await user.open();
    if (decision) await user.sharing.tellResult(decision, store);
    await store.add([
      { kind: "note", text: "Deploy on Fridays only.", source: "a test" },
      { kind: "episode", text: "It read the till's code.", source: "a test" },
      { kind: "file", text: "const till = 1;", source: "till.ts" },
    ]);
    const rows = await rowsOn(server, database);
    assert.deepEqual(
      {
        said: user.said.map((text) => text.replaceAll(user.folder, "FOLDER")),
        problems: user.problems,
        rows,
        url: user.settings().memory.url,
        passwords: [...user.keys.values()],
      },
      {
        said: [
          "Share memory",
          "Address of the server",
          "Name of the project",
          "Share memory of FOLDER: shop on localhost",
          "Connected. The notes of FOLDER are shared as shop on localhost.",
        ],
        problems: ["Enter an address such as postgres://user@host:5432/database.", "Enter a name for the project."],
        rows: [{ project: "shop", kind: "note", text: "Deploy on Fridays only." }],
        url: server.url(database),
        passwords: ["top secret"],
      },
    );
  });

  it("is set up with an address that the box corrects in its own words, not in those of the settings", async () => {
    const user = userWith({
      picks: ["PostgreSQL", "Redis or Valkey"],
      texts: [],
      tried: [
        "postgres://",
        "postgresql://ada@/shop",
        "postgres://ada@/shop?host=/tmp",
        "postgres://ada@db.example/shop?sslmode=disable",
        "postgres://db.example/shop?password=x",
        "redis://db.example",
      ],
    });
    await user.change();
    await user.change();
    const [postgres, redis] = ["postgres://user@host:5432/database", "rediss://user@host:6379"];
    assert.deepEqual(user.problems, [
      `Enter an address such as ${postgres}.`,
      `Enter an address such as ${postgres}.`,
      undefined,
      "Remove sslmode. Only a server on this machine can be used without encryption.",
      "Remove the password from the address. You're asked for it later.",
      `Enter an address such as ${postgres}.`,
      ...Array(5).fill(`Enter an address such as ${redis}.`),
      "Start the address with rediss://. Only a server on this machine can be used without encryption.",
    ]);
  });

  it("names the project of one folder: another folder has a name of its own, and a name that was entered is offered again", async () => {
    if (!server) return;
    const url = server.url(await server.newDatabase());
    const another = ["PostgreSQL", "Notes"];
    const user = userWith({
      picks: [...another, ...another, "Use another server…", ...another],
      texts: [url, "shop", "", url, "till", "", url, "shop 2", ""],
    });
    await user.change();
    await user.change(user.newFolder());
    const changed = await user.change();
    assert.deepEqual(
      {
        offered: user.offered,
        setting: user.settings().memory.project,
        changed: changed?.place.project,
      },
      {
        offered: ["", "", undefined, url, "", undefined, url, "shop", undefined],
        setting: "",
        changed: "shop 2",
      },
    );
  });

  it("is stopped without a word of what stays on the server where nothing was ever sent", async () => {
    if (!server) return;
    const user = userWith({ picks: ["PostgreSQL", "Don't share"], texts: [server.url(), "shop"] });
    const decision = await user.change();
    if (decision) await user.sharing.tellResult(decision, await user.open());
    assert.equal(user.said.at(-1)?.replace(user.folder, "FOLDER"), "The memory of FOLDER isn't shared.");
  });

  it("isn't agreed to without the password that is asked for, nor where the user picks nothing", async () => {
    if (!server) return;
    const user = userWith({
      picks: ["PostgreSQL", "Notes and steps", "PostgreSQL"],
      texts: [server.url(), "shop"],
    });
    const decisions = [await user.change(), await user.change()];
    const store = await user.open();
    assert.deepEqual(
      { decisions, shared: store.state.shared, url: user.settings().memory.url, keys: user.keys.size },
      { decisions: [undefined, undefined], shared: undefined, url: "", keys: 0 },
    );
  });

  it("reports a user that the server refuses, with a button to correct it", async () => {
    if (!server) return;
    const user = userWith({
      picks: ["PostgreSQL", "Notes"],
      texts: [server.url().replace("postgres@", "nobody@"), "shop", ""],
    });
    const decision = await user.change();
    const store = await user.open();
    store.onChange(() => user.sharing.report(store.state.shared));
    if (decision) await user.sharing.tellResult(decision, store);
    const [text = "", ...buttons] = user.said.slice(-2);
    assert.deepEqual(
      [/refused the user name or the password/.test(text), buttons, store.state.shared?.isConnected],
      [true, ["Share memory…"], false],
    );
  });
});

/** The rows of a database, once there are any. */
async function rowsOn(server: PostgresServer, database: string): Promise<readonly unknown[]> {
  for (const end = Date.now() + 20_000; ; ) {
    const rows = await server.query("select project, kind, text from memory_item", [], database);
    if (rows.length > 0 || Date.now() > end) return rows;
    await pause(50);
  }
}
