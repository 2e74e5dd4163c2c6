import assert from "node:assert/strict";
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { grown, plant } from "../../../support/trees.ts";
import { UndoBench } from "../../../support/undo-bench.ts";

const NAMES = ["a.txt", "b.txt", "dir/c.txt"] as const;
const name = fc.constantFrom(...NAMES);

type AgentDeed =
  | { readonly who: "agent"; readonly what: "write" | "delete"; readonly name: string }
  | { readonly who: "agent"; readonly what: "move"; readonly name: string; readonly to: string };

/** One thing that happens to the files. */
type Deed = AgentDeed | { readonly who: "user"; readonly what: "write" | "delete"; readonly name: string } | UndoDeed;

type UndoDeed =
  | { readonly who: "undo"; readonly what: "step"; readonly back: number }
  | { readonly who: "undo"; readonly what: "run" }
  | { readonly who: "undo"; readonly what: "redo" };

const agentDeed: fc.Arbitrary<AgentDeed> = fc.oneof(
  fc.record({
    who: fc.constant("agent" as const),
    what: fc.constantFrom("write" as const, "delete" as const),
    name,
  }),
  fc.record({ who: fc.constant("agent" as const), what: fc.constant("move" as const), name, to: name }),
);
const userDeed: fc.Arbitrary<Deed> = fc.record({
  who: fc.constant("user" as const),
  what: fc.constantFrom("write" as const, "delete" as const),
  name,
});
const undoDeed: fc.Arbitrary<UndoDeed> = fc.oneof(
  fc.nat(4).map((back) => ({ who: "undo", what: "step", back }) as const),
  fc.constantFrom({ who: "undo", what: "run" } as const, { who: "undo", what: "redo" } as const),
);

type Tree = Readonly<Record<string, unknown>>;

/** A world of its own for one sequence of deeds. */
async function inWorld(play: (world: World) => Promise<void>): Promise<void> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "autogpt-undo-")));
  try {
    const work = join(folder, "work");
    await plant(work, { "a.txt": "first a", "keep.txt": "kept" });
    await play(new World(work, new UndoBench(work, join(folder, "run"))));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

class World {
  private readonly usersOwn = new Set<string>();
  private readonly work: string;
  readonly agent: UndoBench;
  private count = 0;
  private steps = 0;

  constructor(work: string, agent: UndoBench) {
    this.work = work;
    this.agent = agent;
  }

  /** Paths whose present state the user has made. */
  own(): ReadonlySet<string> {
    return new Set(this.usersOwn);
  }

  /** Files alone: empty folders that come and go are nobody's loss. */
  async tree(): Promise<Tree> {
    const all = Object.entries(await grown(this.work));
    return Object.fromEntries(all.filter(([path]) => !path.endsWith("/")));
  }

  async play(deed: Deed): Promise<void> {
    this.count += 1;
    if (deed.who === "user") return this.user(deed.what, deed.name);
    if (deed.who === "agent") return this.act(deed);
    return this.takeBack(deed);
  }

  /** What an undo or redo says it has made is the agent's from then on: the user has asked for it. */
  private async takeBack(deed: UndoDeed): Promise<void> {
    const { undo } = this.agent;
    const { steps } =
      deed.what === "redo"
        ? await undo.redo()
        : await undo.undo(deed.what === "run" ? {} : { step: Math.max(1, this.steps - deed.back) });
    for (const path of steps.flatMap(({ files }) => files)) this.usersOwn.delete(path);
  }

  private async user(what: "write" | "delete", path: string): Promise<void> {
    const before = (await this.tree())[path];
    if (what === "delete") await rm(join(this.work, path), { force: true });
    else await plant(this.work, { [path]: `user ${this.count}` });
    if ((await this.tree())[path] !== before) this.usersOwn.add(path);
  }

  private async act(deed: AgentDeed): Promise<void> {
    this.steps += 1;
    const before = await this.tree();
    if (deed.what === "write") await this.agent.write(deed.name, `agent ${this.count}`);
    if (deed.what === "delete") await this.agent.act("delete_file", { filename: deed.name });
    if (deed.what === "move") await this.agent.act("move_file", { source: deed.name, destination: deed.to });
    const after = await this.tree();
    for (const path of NAMES) if (before[path] !== after[path]) this.usersOwn.delete(path);
  }
}

function only(tree: Tree, paths: ReadonlySet<string>): Tree {
  return Object.fromEntries(Object.entries(tree).filter(([path]) => paths.has(path)));
}

describe("undo, whatever agent and user did", () => {
  it("never touches what the user has made of a file", async () => {
    const deeds = fc.array(fc.oneof(agentDeed, userDeed, undoDeed), { maxLength: 14 });
    await fc.assert(
      fc.asyncProperty(deeds, (all) =>
        inWorld(async (world) => {
          for (const deed of all) {
            const own = world.own();
            const before = only(await world.tree(), own);
            await world.play(deed);
            if (deed.who === "undo") assert.deepEqual(only(await world.tree(), own), before);
          }
        }),
      ),
      { numRuns: 25 },
    );
  });

  it("brings everything back, and forth again, where the agent was alone", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(agentDeed, { minLength: 1, maxLength: 10 }), (all) =>
        inWorld(async (world) => {
          const first = await world.tree();
          for (const deed of all) await world.play(deed);
          const last = await world.tree();
          const { conflicts } = await world.agent.undo.undo({});
          const undone = await world.tree();
          await world.agent.undo.redo();
          assert.deepEqual([conflicts, undone, await world.tree()], [[], first, last]);
        }),
      ),
      { numRuns: 25 },
    );
  });
});

describe("undo beside a user who works on the same files", () => {
  it("brings back exactly what was there before the agent's changes, or declares a conflict", async () => {
    const both = fc.array(fc.oneof(agentDeed, userDeed), { minLength: 1, maxLength: 10 });
    await fc.assert(
      fc.asyncProperty(both, (all) =>
        inWorld(async (world) => {
          const found = new Map<string, unknown>();
          const disturbed = new Set<string>();
          for (const deed of all) {
            const before = await world.tree();
            await world.play(deed);
            const after = await world.tree();
            for (const path of NAMES) {
              if (before[path] === after[path]) continue;
              if (deed.who === "agent" && !found.has(path)) found.set(path, before[path]);
              else if (deed.who === "user" && found.has(path)) disturbed.add(path);
            }
          }
          const last = await world.tree();
          const { conflicts } = await world.agent.undo.undo({});
          const declared = new Set(conflicts.map(({ file }) => file));
          const undone = await world.tree();
          for (const path of NAMES) {
            const wanted = found.has(path) && !declared.has(path) ? found.get(path) : last[path];
            assert.equal(undone[path], wanted, path);
            if (declared.has(path)) assert.ok(disturbed.has(path), `${path} is no conflict`);
          }
        }),
      ),
      { numRuns: 25 },
    );
  });
});
