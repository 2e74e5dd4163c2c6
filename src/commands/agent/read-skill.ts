import { cutText } from "../../core/base/text.ts";
import { type Command, createPreparedCall, type PreparedCall } from "../../core/commands/command.ts";
import type { Outcome, Source } from "../../core/commands/outcome.ts";
import type { Skills } from "../../core/ports/skills.ts";
import { type Workspace, WorkspaceError } from "../../core/ports/workspace.ts";
import type { Skill } from "../../schema/run-values.ts";
import { displayText } from "../../texts/display-text.ts";
import {
  type Args,
  createObjectSchema,
  createOlderNameTable,
  getNumberArgument,
  getTextArgument,
} from "../arguments.ts";
import { findReadableSource, isReadable, type ReadableText, readAll } from "../files/read-sources.ts";
import { createFailure, createSuccess, NOTHING_FOUND } from "../outcomes.ts";

/** Dependencies of reading skills. */
interface SkillDependencies {
  readonly workspace: Workspace;
  readonly skills?: Skills | undefined;
}

type FoundParts = SkillDependencies & { readonly skills: Skills };

const LINES = { type: "integer", minimum: 1 } as const;
const SKILL_FILE = "SKILL.md";

/** Reads a skill, or lists the available ones. */
export function readSkill({ workspace, skills }: SkillDependencies): Command {
  return {
    name: "read_skill",
    aliases: ["skill", "use_skill", "load_skill", "list_skills"],
    category: "files",
    effect: "read",
    traits: {
      titles: [{ code: "ReadSkill", text: "name" }, { code: "ListSkills" }],
      role: "readSkill",
      rank: 10,
      reads: "once",
    },
    description:
      "Reads a skill: instructions for a kind of work. With file, another file of its folder. Without a skill's name, lists all of them, or those that words fit.",
    parameters: createObjectSchema({
      name: { type: "string", description: "of a skill, or words to find one" },
      file: { type: "string", maxLength: 500 },
      start_line: LINES,
      end_line: LINES,
    }),
    argumentAliases: createOlderNameTable({ name: "skill skill_name query", file: "filename path" }),
    withheld: () => (skills ? undefined : displayText("trouble.noSkills")),
    prepare: async (args, { signal }) => {
      const all = (await skills?.list()) ?? [];
      const name = getTextArgument(args, "name")?.trim() ?? "";
      const skill = all.find((one) => one.name.toLowerCase() === name.toLowerCase());
      return skill && skills ? prepareReading({ workspace, skills }, skill, args, signal) : prepareListing(all, name);
    },
  };
}

async function prepareReading(
  parts: FoundParts,
  skill: Skill,
  args: Args,
  signal: AbortSignal,
): Promise<PreparedCall | Outcome> {
  const file = getTextArgument(args, "file")?.trim() || SKILL_FILE;
  const lines = { from: getNumberArgument(args, "start_line") ?? 1, to: getNumberArgument(args, "end_line") };
  const source = skill.by
    ? createOwnSkillSource(parts, skill, { ...lines, filename: file })
    : await findRepositorySource(parts.workspace, skill, { ...lines, filename: file }, signal);
  if (!("read" in source)) return createFailure(source.error, displayText("timeline.notRead"));
  return createPreparedCall(
    "read",
    `Read the skill "${skill.name}": ${source.label}.`,
    async (running) => setSkillSource(await readAll([source], running), skill),
    { touches: source.touch ? [source.touch] : [] },
  );
}

/** Sets the source to the skill. A text that git ignores keeps its untrusted source. */
function setSkillSource(outcome: Outcome, { name }: Skill): Outcome {
  return outcome.status === "done" && !outcome.source ? { ...outcome, source: createSkillSource(name) } : outcome;
}

function createSkillSource(name: string): Source {
  return { kind: "skill", name, isClean: true };
}

async function findRepositorySource(
  workspace: Workspace,
  skill: Skill,
  part: ReadableText["part"],
  signal: AbortSignal,
): Promise<ReadableText | { readonly error: string }> {
  const folder = skill.file.slice(0, -SKILL_FILE.length);
  const above = /(?:^|[\\/])\.\.(?:[\\/]|$)|^(?:[\\/]|[a-z]:)/i;
  if (above.test(part.filename))
    return {
      error: `"${part.filename}" isn't in the folder of the skill "${skill.name}". Read it with read_file.`,
    };
  const source = await findReadableSource(
    { workspace },
    { ...part, filename: `${folder}${part.filename}`, isSource: true },
    signal,
  );
  // The extension's own folder is ignored until it is shared, and holds the user's files.
  if (!isReadable(source) || !folder.startsWith(".autogpt/")) return source;
  const { isIgnored: _, ...own } = source;
  return own;
}

function createOwnSkillSource({ skills }: FoundParts, skill: Skill, part: ReadableText["part"]): ReadableText {
  const label = `${skill.file.slice(0, -SKILL_FILE.length)}${part.filename}`;
  return {
    name: `"${label}"`,
    label,
    part,
    read: async () => {
      try {
        return { text: await skills.readOwn(skill, part.filename) };
      } catch (error) {
        if (error instanceof WorkspaceError) return { error: error.message };
        throw error;
      }
    },
  };
}

/** Characters of a list, and of a description in it. */
const MAX_LIST = 12_000;
const MAX_DESCRIPTION = 120;

function prepareListing(all: readonly Skill[], words: string): PreparedCall {
  const found = words === "" ? all : filterMatchingSkills(all, words);
  const title = words === "" ? "List the skills." : `Find skills for: ${words}`;
  return createPreparedCall("read", title, async () => {
    if (found.length === 0)
      return createSuccess(
        `There is no such skill. Call read_skill without a name to list all ${all.length}.`,
        NOTHING_FOUND,
      );
    const lines: string[] = [];
    let room = MAX_LIST;
    for (const { name, description } of found) {
      const line = `- ${name}: ${cutText(description, MAX_DESCRIPTION)}`;
      room -= line.length + 1;
      if (room < 0) break;
      lines.push(line);
    }
    const left = found.length - lines.length;
    if (left > 0) lines.push(`(${left} more; find them with words.)`);
    const outcome = createSuccess(lines.join("\n"), displayText("results.skills", { count: found.length }));
    return { ...outcome, source: createSkillSource("list") };
  });
}

/** The skills that contain one of the words; those with the most words come first. */
function filterMatchingSkills(all: readonly Skill[], words: string): readonly Skill[] {
  const wanted = words.toLowerCase().match(/[\p{L}\p{N}]{2,}/gu) ?? [];
  return all
    .map((skill) => {
      const where = `${skill.name} ${skill.description}`.toLowerCase();
      return { skill, hits: wanted.filter((word) => where.includes(word)).length };
    })
    .filter(({ hits }) => hits > 0)
    .toSorted((one, other) => other.hits - one.hits)
    .map(({ skill }) => skill);
}
