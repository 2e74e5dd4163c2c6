import type { Suite } from "./suite.ts";

/** Every suite by name; each is loaded only when it is used. */
export const SUITES: Readonly<Record<string, () => Promise<Suite>>> = {
  small: async () => (await import("./suites/small.ts")).SMALL,
  robust: async () => (await import("./suites/robust.ts")).ROBUST,
  long: async () => (await import("./suites/robust.ts")).LONG,
  classic: async () => (await import("./suites/classic/suite.ts")).CLASSIC,
  edits: async () => (await import("./suites/edits/suite.ts")).EDITS,
  safety: async () => (await import("./suites/safety.ts")).SAFETY,
};
