// OpenTelemetry's SDK as a part of its own, which is loaded only where traces are on.
import { appendFile } from "node:fs/promises";
import { type Context, ROOT_CONTEXT, type Span, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { BatchSpanProcessor, type ReadableSpan, type SpanExporter, TracerProvider } from "@opentelemetry/sdk-trace";
import { Queue } from "../../core/base/async.ts";
import { getErrorMessage } from "../../core/base/errors.ts";
import { renderOtlpLine } from "./otlp-json.ts";
import type { OpenSpan, SpanAttributes, SpanTracer } from "./run-spans.ts";

/** Where traces go. */
export type TraceTarget =
  | { readonly kind: "file"; readonly path: string }
  | { readonly kind: "collector"; readonly url: string };

/** Writes spans to a target. */
export interface TraceSink extends SpanTracer {
  /** Writes all spans that have ended, for a limited time. Never throws. */
  flush(): Promise<void>;
}

type Resource = NonNullable<NonNullable<ConstructorParameters<typeof TracerProvider>[0]>["resource"]>;

/** Names the program, and nothing of the machine. */
const RESOURCE: Resource = {
  attributes: { "service.name": "autogpt" },
  merge: (other) => other ?? RESOURCE,
  getRawAttributes: () => [["service.name", "autogpt"]],
};

/** The time that one request may take, with all its retries. */
const SEND_MS = 2_500;
/** The time that the end of a run may wait for its spans. */
const FLUSH_MS = 4_000;
const LONGEST_TEXT = 20_000;

/** Opens a target. Spans that can't be written are dropped, and the first reason is reported. */
export function openTraceSink(target: TraceTarget, reportTrouble: (error: Error) => void): TraceSink {
  const exporter = target.kind === "file" ? createFileExporter(target.path) : createCollectorExporter(target.url);
  const provider = new TracerProvider({
    resource: RESOURCE,
    spanLimits: { attributeValueLengthLimit: LONGEST_TEXT },
    spanProcessors: [new BatchSpanProcessor({ exporter: reportOnce(exporter, reportTrouble) })],
  });
  const tracer = provider.getTracer("autogpt");
  const contexts = new WeakMap<OpenSpan, Context>();
  return {
    start: (name, { kind, at, attributes }, parent) => {
      const around = (parent && contexts.get(parent)) ?? ROOT_CONTEXT;
      const kinds = { client: SpanKind.CLIENT, internal: SpanKind.INTERNAL };
      const given = { kind: kinds[kind], startTime: at, attributes: copyAttributes(attributes) };
      const span = tracer.startSpan(name, given, around);
      const opened = createOpenSpan(span);
      contexts.set(opened, trace.setSpan(around, span));
      return opened;
    },
    flush: () => provider.forceFlush({ timeoutMillis: FLUSH_MS }).catch(() => undefined),
  };
}

function createOpenSpan(span: Span): OpenSpan {
  return {
    set: (attributes) => void span.setAttributes(copyAttributes(attributes)),
    note: (name, attributes, at) => void span.addEvent(name, copyAttributes(attributes), at),
    end: (at, errorType) => {
      if (errorType !== undefined)
        span.setAttribute("error.type", errorType).setStatus({ code: SpanStatusCode.ERROR, message: errorType });
      span.end(at);
    },
  };
}

function copyAttributes(attributes: SpanAttributes): Record<string, string | number | string[]> {
  const entries = Object.entries(attributes);
  return Object.fromEntries(
    entries.map(([name, value]) => [name, typeof value === "object" ? [...value] : value] as const),
  );
}

/**
 * The SDK's exporter, which follows no redirects. Of the environment, only the variables for headers count, since a collector's key has no
 * other place.
 */
function createCollectorExporter(url: string): SpanExporter {
  return new OTLPTraceExporter({ url, timeoutMillis: SEND_MS, httpAgentOptions: { keepAlive: false } });
}

/** Appends each batch as a line of OTLP in JSON. */
function createFileExporter(path: string): SpanExporter {
  const queue = new Queue();
  return {
    export: (spans, done) => {
      const line = renderOtlpLine(spans);
      void queue
        .add(() => appendFile(path, `${line}\n`, { mode: 0o600 }))
        .then(
          () => done({ code: SUCCESS }),
          (error: unknown) => done({ code: FAILED, error: new Error(getErrorMessage(error)) }),
        );
    },
    shutdown: async () => void (await queue.idle),
  };
}

const SUCCESS = 0;
const FAILED = 1;

/** Reports the first failure. */
function reportOnce(exporter: SpanExporter, reportTrouble: (error: Error) => void): SpanExporter {
  let isReported = false;
  return {
    export: (spans: ReadableSpan[], done) =>
      exporter.export(spans, (result) => {
        if (result.code !== SUCCESS && !isReported) {
          isReported = true;
          reportTrouble(result.error ?? new Error("The spans weren't accepted."));
        }
        done(result);
      }),
    shutdown: () => exporter.shutdown(),
    forceFlush: async () => exporter.forceFlush?.(),
  };
}
