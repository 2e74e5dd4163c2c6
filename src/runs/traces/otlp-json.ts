import type { ReadableSpan } from "@opentelemetry/sdk-trace";

type HighTime = ReadableSpan["startTime"];

/** A value in OTLP's JSON, which names its type. */
type OtlpValue =
  | { readonly stringValue: string }
  | { readonly boolValue: boolean }
  /** 64 bits, which a number in JSON can't hold. */
  | { readonly intValue: string }
  | { readonly doubleValue: number }
  | { readonly arrayValue: { readonly values: readonly OtlpValue[] } };

/** Spans of one provider as a request of OTLP in JSON, on one line. The SDK's own serializer is part of its exporter alone. */
export function renderOtlpLine(spans: readonly ReadableSpan[]): string {
  const [first] = spans;
  if (!first) return "";
  const scopes = Map.groupBy(spans, ({ instrumentationScope }) => instrumentationScope.name);
  const scopeSpans = [...scopes].map(([name, own]) => ({ scope: { name }, spans: own.map(convertSpan) }));
  return JSON.stringify({
    resourceSpans: [{ resource: { attributes: convertAttributes(first.resource.attributes) }, scopeSpans }],
  });
}

function convertSpan(span: ReadableSpan) {
  const { traceId, spanId, traceFlags } = span.spanContext();
  return {
    traceId,
    spanId,
    parentSpanId: span.parentSpanContext?.spanId,
    flags: traceFlags,
    name: span.name,
    // The API counts kinds from 0, the protocol from 1.
    kind: span.kind + 1,
    startTimeUnixNano: formatNanoseconds(span.startTime),
    endTimeUnixNano: formatNanoseconds(span.endTime),
    attributes: convertAttributes(span.attributes),
    events: span.events.map(({ name, time, attributes = {} }) => ({
      name,
      timeUnixNano: formatNanoseconds(time),
      attributes: convertAttributes(attributes),
    })),
    status: span.status,
  };
}

function formatNanoseconds([seconds, nanoseconds]: HighTime): string {
  return String(BigInt(seconds) * 1_000_000_000n + BigInt(nanoseconds));
}

function convertAttributes(attributes: Readonly<Record<string, unknown>>) {
  return Object.entries(attributes).map(([key, value]) => ({ key, value: convertValue(value) }));
}

function convertValue(value: unknown): OtlpValue {
  if (typeof value === "boolean") return { boolValue: value };
  if (typeof value === "number") return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
  if (Array.isArray(value)) return { arrayValue: { values: value.map(convertValue) } };
  return { stringValue: String(value) };
}
