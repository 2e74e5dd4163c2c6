import type { Sentence } from "../../texts/display-text.ts";
import type { FleetEngine, FleetEvent } from "../engine.ts";
import type { NamedFleet } from "../temporal/temporal-engine.ts";

/** A fleet as this program names it to the client. The key for its server isn't part of any command line or environment. */
export interface ClientFleet extends Omit<NamedFleet, "key"> {
  readonly apiKey?: string;
}

/** The calls of a fleet. */
export type FleetMethod = Exclude<keyof FleetEngine, "place">;

/** A call to the client, or the end of one. Calls are named by numbers. */
export type ClientRequest =
  | {
      readonly id: number;
      readonly fleet: ClientFleet;
      readonly method: FleetMethod;
      /** All arguments but the signal. */
      readonly args: readonly unknown[];
    }
  | { readonly id: number; readonly abort: true };

/** An answer of the client. Events come before the end of the call, which is an error or may have a value. */
export type ClientReply =
  | { readonly id: number; readonly event: FleetEvent }
  | { readonly id: number; readonly isAnswered: true; readonly value?: unknown }
  | { readonly id: number; readonly error: Sentence };
