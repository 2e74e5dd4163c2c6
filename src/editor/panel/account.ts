import type { RunSummary } from "../../runs/store/run-summary.ts";
import { type SpendingReader, sumSpendingByName } from "../../runs/store/spending.ts";
import type { UsageReport } from "../../schema/panel-values.ts";
import { displayText, type Sentence } from "../../texts/display-text.ts";

/** The memory of a folder, as the report shows it. */
interface ReportedMemory {
  readonly state: {
    readonly count: number;
    readonly embedded: number;
    readonly embedder: string;
    readonly mode: string;
    readonly shared?: {
      readonly project: string;
      readonly server: string;
      readonly waiting: number;
      readonly theirs: number;
    };
    readonly notices: readonly Sentence[];
  };
  measureBytes(): Promise<number>;
}

/** Sources of a usage report. */
export interface AccountSources {
  readonly library: { list(): Promise<readonly RunSummary[]> };
  readonly spending: SpendingReader;
  /** The open memory of a folder, if any. */
  readonly memories: { findOpenMemory(folder: string): ReportedMemory | undefined };
}

const DAYS = 7;
const DAY_MS = 24 * 3600 * 1000;
/** Excludes runs unused for longer than this. */
const LOOK_BACK_MS = 30 * DAY_MS;
const MOST_MODELS = 8;

/** Reports the cost of a run and of all recent runs, and the size of the memory of the run's folder. */
export async function buildUsageReport(
  hosted: { readonly id: string; readonly folder: string },
  { library, spending, memories }: AccountSources,
): Promise<UsageReport> {
  const recent = (await library.list()).filter(({ writtenMs }) => writtenMs > Date.now() - LOOK_BACK_MS);
  const spent = await Promise.all(recent.map(async (run) => ({ id: run.id, spent: await spending.loadSpending(run) })));
  const own = spent.filter(({ id }) => id === hosted.id).flatMap((run) => run.spent);
  const all = spent.flatMap((run) => run.spent);
  const days = sumSpendingByName(all, ({ day }) => day).toSorted((one, other) => (one.name < other.name ? 1 : -1));
  const store = memories.findOpenMemory(hosted.folder);
  return {
    models: sumSpendingByName(own, ({ model }) => model).slice(0, MOST_MODELS),
    days: days.slice(0, DAYS),
    allModels: sumSpendingByName(all, ({ model }) => model).slice(0, MOST_MODELS),
    ...(store ? { memory: await buildMemoryReport(store) } : {}),
  };
}

async function buildMemoryReport(store: ReportedMemory): Promise<NonNullable<UsageReport["memory"]>> {
  const { count, embedded, embedder, mode, shared, notices } = store.state;
  const bytes = await store.measureBytes().catch(() => 0);
  const { project = "", server = "", theirs = 0, waiting = 0 } = shared ?? {};
  const sharing = shared && {
    shared: displayText("header.memoryShared", { project, server, theirs, waiting }),
  };
  return { count, embedded, embedder, bytes, reading: mode === "reading", ...sharing, notices };
}
