import { listEventPictures, listOutcomePictures } from "../../core/commands/outcome.ts";
import type { PanelRequest, PanelUpdate } from "../../schema/panel-messages.ts";
import type { PanelState } from "./panel-state.ts";

/** The request with which the page answers a message; undefined if none is due. */
export function findAnswer(before: PanelState, after: PanelState, message: PanelUpdate): PanelRequest | undefined {
  return (
    findEventAnswer(before, after, message) ?? findSightRequest(after, message) ?? findAttachedRequest(after, message)
  );
}

/** Asks for a missed event, or for the picture that a command made. */
function findEventAnswer(before: PanelState, after: PanelState, message: PanelUpdate): PanelRequest | undefined {
  if (message.type !== "event" || before.run?.state.id !== message.run) return undefined;
  const { run, event } = message;
  if (after.run?.stale) return before.run.stale ? undefined : { type: "resync", run };
  const hasPicture = event.type === "ended" && event.outcome.status === "done" && event.outcome.picture !== undefined;
  return hasPicture ? { type: "showPicture", run, step: event.step } : undefined;
}

/** Checks again whether the composer's pictures can be sent, after the model may have changed. */
function findSightRequest(state: PanelState, message: PanelUpdate): PanelRequest | undefined {
  if ((state.composer.pictures ?? []).length === 0) return undefined;
  const isNews =
    message.type === "welcome" ||
    message.type === "snapshot" ||
    message.type === "setupChanged" ||
    (message.type === "event" && message.event.type === "changed" && message.event.model !== undefined);
  return isNews ? { type: "askSight" } : undefined;
}

/** Requests the pictures that belong to notes and results in a new event or page. */
function findAttachedRequest({ run }: PanelState, message: PanelUpdate): PanelRequest | undefined {
  if ((message.type !== "event" && message.type !== "page") || message.run !== run?.state.id) return undefined;
  const events = message.type === "event" ? [message.event] : (message.sideEvents ?? []);
  const steps = message.type === "page" ? message.steps : [];
  const results = steps.flatMap(({ outcome, also = [] }) => [outcome, ...also]).flatMap(listOutcomePictures);
  const files = [...events.flatMap(listEventPictures), ...results].map(({ file }) => file);
  const missing = [...new Set(files)].filter((file) => !run.attached.has(file));
  return missing.length === 0 ? undefined : { type: "showAttached", run: message.run, files: missing };
}
