import * as vscode from "vscode";
import { omitUndefined } from "../../core/base/objects.ts";
import { selectLastRuns } from "../../editor/panel/run-groups.ts";
import { listModelOffers, type ModelOffer } from "../../models/catalog/model-offers.ts";
import type { ModelResolver } from "../../models/model-resolver.ts";
import type { OwnAgent } from "../../runtime/instructions/own-agents.ts";
import type { OwnCommand } from "../../runtime/instructions/own-commands.ts";
import { readFolderInstructions } from "../../runtime/instructions/run-instructions.ts";
import type { KeyRing } from "../../runtime/services/key-ring.ts";
import { listModelServices } from "../../runtime/services/key-services.ts";
import type { RepositoryNotes, Welcome } from "../../schema/panel-values.ts";
import { write } from "../../texts/language.ts";
import type { RunLibrary } from "../host/run-library.ts";
import type { RunOpener } from "../host/run-opener.ts";
import { readSettings } from "../host/settings.ts";
import { findModels } from "../models/model-picker.ts";
import { findLikelyFolder, findPlaceProblem, findPlaceRemedy } from "../workspace/folders.ts";
import type { OwnWords } from "../workspace/own-words.ts";
import { editorFiles } from "../workspace/virtual-files.ts";

/** The start page lists at most this many models; Select Model… has them all. */
const MAX_MODELS = 12;
const MAX_TEMPLATES = 20;

/** Content of the start page; with `quick`, without looking for models. */
export async function buildWelcome(
  {
    keys,
    desk,
    library,
    opener,
    ownWords,
  }: {
    keys: KeyRing;
    desk: ModelResolver;
    library: RunLibrary;
    opener: Pick<RunOpener, "explainNoIsolation">;
    ownWords: OwnWords;
  },
  { quick }: { readonly quick: boolean },
): Promise<Welcome> {
  const [found, isolation, key, lastRuns, commands, agents, words] = await Promise.all([
    quick ? undefined : findModels(desk, new AbortController().signal),
    quick ? undefined : findShownIsolation(opener).catch(() => undefined),
    keys.get(listModelServices(readSettings())[0].address).catch(() => undefined),
    library.list().then(selectLastRuns, () => []),
    ownWords.listCommands().catch(() => []),
    ownWords.listAgents().catch(() => []),
    findRepositoryNotes().catch(() => undefined),
  ]);
  const blocked = findPlaceProblem();
  const templates = commands.filter(({ by }) => by === undefined).slice(0, MAX_TEMPLATES);
  return {
    hasKey: key !== undefined,
    models: (found ? listModelOffers(found) : []).slice(0, MAX_MODELS).map(convertToShownOffer),
    ...(found?.source ? { source: found.source } : {}),
    ...(found ? {} : { looking: true }),
    ...(blocked === undefined ? {} : { blocked, unblock: findPlaceRemedy() }),
    ...omitUndefined({ words }),
    ...(lastRuns.length > 0 ? { lastRuns } : {}),
    ...(templates.length > 0 ? { templates: templates.map(selectShownFields) } : {}),
    ...(agents.length > 0 ? { agents: agents.map(selectShownFields) } : {}),
    ...omitUndefined({ isolation, reviewProfile: readSettings().run.reviewProfile || undefined }),
  };
}

function selectShownFields({ name, file, description }: OwnAgent | OwnCommand): {
  readonly name: string;
  readonly file: string;
  readonly description: string;
} {
  return { name, file, description };
}

/** Converts a model for the start page's list. */
function convertToShownOffer({ id, label, provider, facts, chosen }: ModelOffer): Welcome["models"][number] {
  return { id, label, provider, detail: [provider, ...facts.map(write)].join(" · "), chosen };
}

/** The hosts and files that isolated runs can reach, or why they can't start; undefined if no run can start. */
async function findShownIsolation({
  explainNoIsolation: isolationProblem,
}: Pick<RunOpener, "explainNoIsolation">): Promise<Welcome["isolation"]> {
  const folder = findLikelyFolder();
  if (folder === undefined) return undefined;
  const why = await isolationProblem(folder);
  const { hosts, lend } = readSettings().isolation;
  return { hosts: [...hosts], lent: [...lend], ...omitUndefined({ why }) };
}

/** Files of the repository that a run would read; undefined when there are none, or the folder isn't known yet. */
async function findRepositoryNotes(): Promise<RepositoryNotes | undefined> {
  const folder = vscode.workspace.isTrusted ? findLikelyFolder() : undefined;
  if (folder === undefined) return undefined;
  const host = { workspace: { virtualFiles: editorFiles } };
  const { rules, later, unread, ...found } = await readFolderInstructions(host, folder, readSettings());
  const own = rules.filter(({ by }) => by === "user").map(({ file }) => file);
  const files = [...rules, ...later].map(({ file }) => file).filter((file) => !own.includes(file));
  const skills = found.skills.map(({ name }) => name);
  if (own.length + files.length + unread.length + skills.length === 0) return undefined;
  return { files, own, unread, skills, moreSkills: found.moreSkills };
}
