import assert from "node:assert/strict";
import { realpathSync } from "node:fs";
import { join } from "node:path";
import { createNodeWorkspace } from "../../../../src/node/workspace.ts";
import { createSkillLibrary, findSkills } from "../../../../src/runtime/instructions/run-instructions.ts";
import { createGuardedFiles } from "../../../../src/safety/paths/guarded-reader.ts";
import { cpuTime } from "../../../support/cpu-time.ts";
import { skipWithout } from "../../../support/skips.ts";
import { tempFolders } from "../../../support/temp-folders.ts";
import { plant, type Tree } from "../../../support/trees.ts";

const skill = (name: string, description: string, text = "Do it."): string =>
  `---\nname: ${name}\ndescription: ${description}\n---\n${text}`;

describe("skills", () => {
  const tempFolder = tempFolders();

  async function planted(workspace: Tree, home: Tree = {}, isOwn = true) {
    const place = realpathSync.native(await tempFolder());
    const app = join(place, "app");
    await plant(app, { "a.txt": "a", ...workspace });
    await plant(join(place, "home"), { "b.txt": "b", ...home });
    await plant(place, { "elsewhere/SKILL.md": skill("elsewhere", "From elsewhere") });
    const files = createGuardedFiles(
      createNodeWorkspace({ folders: [{ name: "app", path: app }] }),
      [app],
      process.platform,
    );
    const own = join(place, "home");
    const library = createSkillLibrary(
      () => findSkills(files, { home: own, isOwn }),
      () => own,
    );
    return { find: () => findSkills(files, { home: own, isOwn }), library };
  }

  it("are found in the folders of other agents, the user's first, a text once, two of one name apart", async () => {
    const { find } = await planted(
      {
        ".autogpt/skills/release/SKILL.md": skill("release", "Makes a release"),
        ".claude/skills/pdf/SKILL.md": skill("pdf", "Reads PDF files"),
        ".github/skills/pdf/SKILL.md": skill("pdf", "Reads PDF files"),
        ".agents/skills/deploy/SKILL.md": skill("deploy", "Deploys: carefully"),
        ".agents/skills/link": { link: "../../.claude/skills/pdf" },
        ".agents/skills/README.md": "Not a skill.",
      },
      {
        ".claude/skills/deploy/SKILL.md": skill("Deploy", "How I deploy"),
        ".copilot/skills/words/SKILL.md": "# Word counts\n\nCount them.",
      },
    );
    const { skills, unread } = await find();
    assert.deepEqual(
      {
        skills: skills.map(({ name, description, file, by }) => [name, description, file, by]),
        unread,
      },
      {
        skills: [
          ["Deploy", "How I deploy", "~/.claude/skills/deploy/SKILL.md", "user"],
          ["words", "Word counts", "~/.copilot/skills/words/SKILL.md", "user"],
          ["release", "Makes a release", ".autogpt/skills/release/SKILL.md", undefined],
          [".agents/skills/deploy", "Deploys: carefully", ".agents/skills/deploy/SKILL.md", undefined],
          ["pdf", "Reads PDF files", ".agents/skills/link/SKILL.md", undefined],
        ],
        unread: [],
      },
    );
  });

  it("aren't offered if their author says so, if they say nothing, or if they lead elsewhere", async () => {
    skipWithout("files as POSIX has them");
    const { find } = await planted({
      ".claude/skills/hidden/SKILL.md": "---\nname: hidden\ndescription: x\ndisable-model-invocation: true\n---\nX",
      ".claude/skills/empty/SKILL.md": "",
      ".claude/skills/odd name!/SKILL.md": skill("../../etc", "Odd"),
      ".claude/skills/out": { link: "../../../elsewhere" },
      ".claude/skills/secret/SKILL.md": { link: "../../../.env" },
      ".env": "KEY=1",
      ".claude/skills/large/SKILL.md": "x".repeat(1_100_000),
    });
    const { skills, unread } = await find();
    assert.deepEqual(
      { skills, unread: unread.toSorted() },
      {
        skills: [],
        unread: [
          ".claude/skills/large/SKILL.md isn't read: it is too large (over 1 MB).",
          ".claude/skills/secret/SKILL.md isn't read: it leads to .env, which may hold secrets.",
        ],
      },
    );
  });

  it("in `.autogpt` count only if the folder is our own", async () => {
    const tree = { ".autogpt/skills/a/SKILL.md": skill("a", "A") };
    const [own, other] = [await planted(tree), await planted(tree, {}, false)];
    assert.deepEqual([(await own.find()).skills.length, (await other.find()).skills.length], [1, 0]);
  });

  it("are found in a moment, five hundred of them", async () => {
    const many = Array.from({ length: 500 }, (_, at) => [
      `.claude/skills/s${at}/SKILL.md`,
      skill(`s${at}`, `Number ${at}`),
    ]);
    const { find } = await planted(Object.fromEntries(many));
    const took = cpuTime();
    const { skills } = await find();
    assert.deepEqual([skills.length, took() < 5_000], [500, true]);
  });

  describe("of the user", () => {
    const HOME: Tree = {
      ".claude/skills/pdf/SKILL.md": skill("pdf", "Reads PDF files"),
      ".claude/skills/pdf/refs/forms.md": "Forms.",
      ".claude/skills/pdf/.env": "KEY=1",
      ".claude/skills/pdf/out.md": { link: "../../../b.txt" },
      ".claude/skills/pdf/binary.bin": Buffer.from([1, 0, 2]),
      "dotfiles/tools/SKILL.md": skill("tools", "Linked"),
      "dotfiles/tools/more.md": "More.",
      ".agents/skills/tools": { link: "../../dotfiles/tools" },
    };

    async function read(name: string, file: string): Promise<string> {
      const { library } = await planted({}, HOME);
      const found = (await library.list()).find((one) => one.name === name);
      if (!found) return "no skill";
      return library.readOwn(found, file).catch((error: Error) => error.message);
    }

    for (const [name, file, text] of [
      ["pdf", "refs/forms.md", "Forms."],
      ["pdf", "./refs/../refs/forms.md", "Forms."],
      ["tools", "more.md", "More."],
      ["pdf", "none.md", '"none.md" of the skill "pdf" isn\'t read: there is no such file.'],
      ["pdf", "refs", '"refs" of the skill "pdf" isn\'t read: it isn\'t a file.'],
      ["pdf", ".", '"." of the skill "pdf" isn\'t read: it isn\'t in the skill\'s folder.'],
      ["pdf", "../../../b.txt", '"../../../b.txt" of the skill "pdf" isn\'t read: it isn\'t in the skill\'s folder.'],
      ["pdf", "out.md", '"out.md" of the skill "pdf" isn\'t read: it isn\'t in the skill\'s folder.'],
      ["pdf", ".env", '".env" of the skill "pdf" isn\'t read: it may hold secrets.'],
      ["pdf", "binary.bin", '"binary.bin" of the skill "pdf" isn\'t read: it is a binary file.'],
    ] as const)
      it(`are read from their own folder only: ${name}, ${file}`, async () => {
        skipWithout("files as POSIX has them");
        assert.equal(await read(name, file), text);
      });

    it("are read only if they are in a folder for skills", async () => {
      const { library } = await planted({}, HOME);
      const forged = { name: "x", description: "x", file: "~/b.txt/../SKILL.md", by: "user" } as const;
      await assert.rejects(library.readOwn(forged, "b.txt"), /it isn't a skill/);
    });
  });
});
