import { removeMentionedTexts } from "../../core/base/mentioned-texts.ts";
import type { HostedRun, HostedRuns } from "../../editor/panel/hosted-runs.ts";
import type { ListedRun } from "../../editor/panel/run-groups.ts";
import { getActivity } from "../../editor/panel/run-status.ts";
import type { FleetRun } from "../../fleet/engine.ts";
import type { RunSummary } from "../../runs/store/run-summary.ts";
import type { RunActivityName } from "../../schema/panel-values.ts";
import { t } from "../../texts/language.ts";
import { type FleetRuns, getMachineName, type SentRun } from "./fleet-runs.ts";
import type { PlaceLists } from "./place-lists.ts";

/** The runs in other places, as far as this window knows them. */
export interface KnownFleet {
  readonly sent: Pick<FleetRuns, "all" | "isRemoved">;
  readonly lists: Pick<PlaceLists, "places">;
}

/** The runs in other places for the list, those that wait for the user first. `stored`: runs that are on this machine. */
export function listFleetRuns(
  { sent, lists }: KnownFleet,
  open: Pick<HostedRuns, "get">,
  stored: ReadonlySet<string>,
): readonly ListedRun[] {
  const listed = new Map(lists.places.flatMap(({ runs }) => runs.map((run) => [run.id, run] as const)));
  const known = new Set(sent.all.map(({ id }) => id));
  const others = [...listed.values()].filter(({ id }) => !known.has(id) && !stored.has(id) && !sent.isRemoved(id));
  const rows = [
    ...sent.all.map((run) => createRow(run, open.get(run.id), listed.get(run.id))),
    ...others.map((run) => createRow({ ...run, folder: "" }, undefined, run)),
  ];
  const rank = ({ state }: ListedRun): number => (WAITING.has(state) ? 0 : 1);
  return rows.toSorted((one, other) => rank(one) - rank(other));
}

const WAITING: ReadonlySet<RunActivityName> = new Set(["approval", "question"]);

/** How a run looks that isn't open here. */
const LOOKS: Readonly<Record<FleetRun["state"], RunActivityName>> = {
  working: "elsewhere",
  waiting: "question",
  ended: "finished",
  silent: "interrupted",
};

/** A row of the list; what isn't known here counts as nothing. */
function createRow(sent: SentRun, hosted: HostedRun | undefined, listed: FleetRun | undefined): ListedRun {
  const { id, task, place, startedAt, isOver } = sent;
  const { totals, profile, end } = hosted?.run.state ?? {};
  const { steps = listed?.steps ?? 0, usd = 0, unpriced = hosted ? 0 : 1 } = totals ?? {};
  const state = isOver ? "ended" : (listed?.state ?? "working");
  const isEnded = hosted ? end !== undefined : state === "ended";
  const summary: RunSummary = {
    ...{ id, task, startedAt, title: removeMentionedTexts(task), name: profile?.name ?? "" },
    ...{ steps, usd, unpriced: unpriced > 0, state: isEnded ? "finished" : "open" },
    ...{ folder: "", writtenMs: 0, logBytes: 0 },
  };
  const machine = getMachineName(place);
  if (hosted) return { summary, state: getActivity(hosted), goesOn: false, machine };
  return { summary, state: LOOKS[state], word: t(`fleet.state.${state}`), goesOn: false, machine };
}
