import { isAbsolute, join } from "node:path";
import { Queue, waitForSettled } from "../../core/base/async.ts";
import { getErrorMessage } from "../../core/base/errors.ts";
import { isThisMachine } from "../../core/base/http-message.ts";
import type { Run } from "../../core/events/run.ts";
import { expandHomePath } from "../../disk/home-path.ts";
import { displayText, type Sentence } from "../../texts/display-text.ts";
import type { TraceSink, TraceTarget } from "./otel-sdk.ts";
import { RunSpans, type TracedRun } from "./run-spans.ts";

/** The SDK, once it's needed. */
export type LoadTraceSdk = () => Promise<Pick<typeof import("./otel-sdk.ts"), "openTraceSink">>;

/** How a run is traced. */
interface Tracing extends Omit<TracedRun, "findParent"> {
  /** The setting: off, a file or the address of a collector. */
  readonly wanted: string;
  /** The run that it works for. */
  readonly parent?: string | undefined;
  /** Called once with a sentence, if traces can't be written. */
  reportTrouble(text: Sentence): void;
}

/** The end of a run may wait this long for its spans. */
const CLOSE_MS = 5_000;

/** Writes the traces of a host's runs. It reads their events, and nothing that it does reaches a run. */
export class RunTraces {
  private readonly load: LoadTraceSdk;
  private readonly sinks = new Map<string, Promise<TraceSink>>();
  private readonly spans = new Map<string, RunSpans>();

  constructor(load: LoadTraceSdk) {
    this.load = load;
  }

  /** Traces a run from now on. Returns a function that ends this, and waits a limited time for what is to be written. */
  follow(run: Run, { wanted, parent, reportTrouble, ...traced }: Tracing): () => Promise<void> {
    const target = readTraceTarget(wanted);
    if (target === undefined) return async () => undefined;
    if ("problem" in target) {
      reportTrouble(target.problem);
      return async () => undefined;
    }
    const { id } = run.state;
    const queue = new Queue();
    const findSpans = async (): Promise<RunSpans> => {
      const sink = await this.openSink(wanted, target, reportTrouble);
      const findParent = () => (parent === undefined ? undefined : this.spans.get(parent)?.current);
      const spans = this.spans.get(id) ?? new RunSpans(sink, { ...traced, findParent });
      this.spans.set(id, spans);
      return spans;
    };
    let isBroken = false;
    const stop = run.onEvent((event, state) => {
      if (isBroken) return;
      void queue
        .add(async () => {
          (await findSpans()).handleEvent(event, state);
          if (event.type === "over" && parent === undefined) await (await this.sinks.get(wanted))?.flush();
        })
        .catch((error: unknown) => {
          if (!isBroken) reportTrouble(describeTrouble(wanted, error));
          isBroken = true;
        });
    });
    return async () => {
      stop();
      const finish = async (): Promise<void> => {
        await queue.idle;
        this.spans.get(id)?.close();
        this.spans.delete(id);
        // The run that it works for writes its spans, too.
        if (parent === undefined) await (await this.sinks.get(wanted)?.catch(() => undefined))?.flush();
      };
      await waitForSettled(finish(), CLOSE_MS);
    };
  }

  private openSink(wanted: string, target: TraceTarget, reportTrouble: (text: Sentence) => void): Promise<TraceSink> {
    const open = async (): Promise<TraceSink> => {
      const { openTraceSink } = await this.load();
      return openTraceSink(target, (error) => reportTrouble(describeTrouble(wanted, error)));
    };
    const opening = this.sinks.get(wanted) ?? open();
    this.sinks.set(wanted, opening);
    return opening;
  }
}

function describeTrouble(target: string, error: unknown): Sentence {
  return displayText("trouble.tracesNotWritten", { target, error: getErrorMessage(error) });
}

/** Reads the setting; undefined if it's off. Only this machine may be reached without encryption. */
function readTraceTarget(wanted: string): TraceTarget | { readonly problem: Sentence } | undefined {
  const text = wanted.trim();
  if (text === "" || text === "off") return undefined;
  const problem = displayText("trouble.badTraceTarget", { target: text });
  if (!/^[a-z][a-z+.-]+:\/\//i.test(text)) {
    const path = expandHomePath(text);
    return isAbsolute(path) ? { kind: "file", path: join(path) } : { problem };
  }
  const url = URL.parse(text);
  if (!url || url.username !== "" || url.password !== "") return { problem };
  if (url.protocol !== "https:" && !(url.protocol === "http:" && isThisMachine(url.hostname))) return { problem };
  if (url.pathname === "/") url.pathname = "/v1/traces";
  return { kind: "collector", url: url.href };
}
