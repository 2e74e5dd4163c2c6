import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import type { RunEnd } from "../../../../src/core/commands/outcome.ts";
import { describeRunEnd } from "../../../../src/core/events/end-text.ts";
import { createOpenAiServer } from "../../../../src/models/http/endpoint.ts";
import { createConnectionError } from "../../../../src/models/http/errors.ts";
import { explainLogProblem } from "../../../../src/runs/log/log-errors.ts";
import type { AgentEvent, AgentEventBody } from "../../../../src/schema/events.ts";
import { readEvent } from "../../../../src/schema/readers.ts";
import { displayText, restoreSentence, writeInEnglish } from "../../../../src/texts/display-text.ts";
import { setLanguage, write } from "../../../../src/texts/language.ts";
import { createTranslatedLanguage } from "../../../../src/texts/languages.ts";
import { findAnnouncement } from "../../../../src/webview/app/announcements.ts";
import { NEW_PANEL } from "../../../../src/webview/app/panel-state.ts";
import { receive } from "../../../../src/webview/app/receive.ts";
import { convertToRunNote } from "../../../../src/webview/run/notes.ts";
import { workedRun } from "../../../panel/support/scenes.ts";
import { FakeModel, says } from "../../../support/fake-model.ts";
import { ofType, rehearsal, rehearse } from "../../../support/rehearsal.ts";
import { NO_LIMITS } from "../../../support/sample-run.ts";

const SAME = says("read_note", { title: "a" });
const SERVER = createOpenAiServer("http://a.test/v1", { model: "m", apiKey: "", timeoutSeconds: 0 });
const REFUSED = createConnectionError(Object.assign(new Error("no"), { code: "ECONNREFUSED" }), SERVER);

/** The event as a log keeps it and gives it back. */
function kept(body: AgentEventBody | AgentEvent): AgentEvent {
  const at = "2026-01-02T03:04:05.000Z";
  const event = readEvent(JSON.parse(JSON.stringify({ at, ...body, seq: 3 })), 3);
  assert.ok(event);
  return event;
}

function noteText(event: AgentEvent | undefined): string {
  const note = event && convertToRunNote(kept(event));
  return note?.kind === "news" ? write(note.text) : "";
}

function endOf(end: RunEnd): string {
  const event = kept({ type: "over", end });
  assert.ok(event.type === "over");
  return describeRunEnd({ end: event.end, limits: { ...NO_LIMITS, steps: 2 }, mode: "ask" }).text;
}

describe("a German session", () => {
  before(async () => {
    setLanguage(createTranslatedLanguage("de", JSON.parse(await readFile("l10n/de.json", "utf8"))));
  });
  after(() => setLanguage(undefined));

  it("shows a pause with its reason, and the log has it in English too", async () => {
    const { live, log } = await rehearsal({
      answers: [],
      model: new FakeModel([REFUSED]),
      pausesOnTrouble: true,
    });
    const paused = new Promise<AgentEvent>((resolve) => {
      live.run.onEvent((event) => event.type === "paused" && resolve(event));
    });
    live.resume();
    const shown = noteText(await paused);
    await live.stop();
    assert.deepEqual(
      [shown, ofType(log.events, "paused").map(({ reason }) => reason)],
      [
        "Angehalten: http://a.test/v1 ist nicht erreichbar. Starten Sie dort den Server, oder korrigieren Sie autogpt.model.baseUrl.",
        ["Can't reach http://a.test/v1. Start the server there, or correct autogpt.model.baseUrl."],
      ],
    );
  });

  it("shows why a run is stuck, has failed or has spent its budget", async () => {
    const [stuck, failed, spent] = [
      await rehearse({ answers: [SAME] }),
      await rehearse({ answers: [], model: new FakeModel([REFUSED]) }),
      await rehearse({ answers: [SAME], start: { limits: { ...NO_LIMITS, steps: 2 } } }),
    ].map(({ end }) => endOf(end));
    assert.deepEqual(
      { stuck, failed, spent },
      {
        stuck:
          "Er hat read_note 4-mal mit denselben Argumenten und demselben Ergebnis aufgerufen. Sagen Sie ihm, was er anders machen soll, oder wählen Sie ein anderes Modell aus.",
        failed:
          "http://a.test/v1 ist nicht erreichbar. Starten Sie dort den Server, oder korrigieren Sie autogpt.model.baseUrl.",
        spent: "Der Lauf hat sein Limit von 2 Schritten erreicht. Erhöhen Sie das Limit, um den Lauf fortzusetzen.",
      },
    );
  });

  it("shows why a rule has refused a command", () => {
    const text = displayText("safety.protected.write", {
      path: ".env",
      why: displayText("safety.line.mayHoldSecrets"),
    });
    const reason = writeInEnglish(text);
    const event = kept({ type: "decided", step: 1, allow: false, by: "rule", reason, text, hash: "" });
    assert.ok(event.type === "decided");
    assert.deepEqual(
      [event.reason, write(restoreSentence(event.reason, event.text))],
      [
        "It would write .env, which may hold secrets.",
        "Der Befehl würde .env schreiben (Vorsicht: enthält möglicherweise Geheimnisse).",
      ],
    );
  });

  it("announces what blocks the run", () => {
    const run = workedRun();
    const opened = run.opening().reduce((state, message) => receive(state, message).state, NEW_PANEL);
    const blockedReason = explainLogProblem(Object.assign(new Error("full"), { code: "ENOSPC" }), "run.jsonl");
    const blocked = receive(opened, { type: "waiting", run: run.id, blockedReason }).state;
    assert.equal(
      findAnnouncement(opened, blocked),
      "Der Datenträger ist voll, daher kann das Protokoll run.jsonl des Laufs nicht geschrieben werden. Geben Sie Speicherplatz frei, um den Lauf fortzusetzen: Alles bisher Aufgezeichnete ist noch vorhanden.",
    );
  });

  it("shows the English of an older log, of a newer one and of a damaged text", () => {
    const why = "It keeps asking. Tell it what to do differently.";
    const shown = [
      undefined,
      { code: "later.text" },
      { code: "trouble.changeCourse" },
      { code: "trouble.changeCourse", parameters: { did: { code: "trouble.wasLink", parameters: {} } } },
      { code: "trouble.changeCourse", parameters: { did: { not: "a text" } } },
      { code: "trouble.changeCourse", parameters: { did: [[["x"]]] } },
    ].map((text) => endOf({ reason: "stuck", why, ...(text ? { text } : {}) } as RunEnd));
    assert.deepEqual(shown, [
      why,
      why,
      why,
      "Die Datei war ein Link. Sagen Sie ihm, was er anders machen soll, oder wählen Sie ein anderes Modell aus.",
      why,
      why,
    ]);
  });
});
