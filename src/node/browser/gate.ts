import type { Browser, CDPSession } from "playwright-core";

/** A document that a tab or a frame is about to ask for. */
interface DocumentRequest {
  readonly url: URL;
  /** For a tab itself, not for a frame within its page. */
  readonly isTab: boolean;
}

/** Whether a document may be requested. */
type JudgeDocument = (request: DocumentRequest) => boolean;

/** The state of a browser's tabs, as its events report it. */
interface Tabs {
  readonly session: CDPSession;
  readonly ids: ReadonlySet<string>;
}

/**
 * Holds every document that any tab of the browser asks for, each hop of a redirect and each form included, until `judge` has decided: nothing
 * is sent before. A tab whose document is refused keeps its page.
 */
export async function guardDocuments(browser: Browser, judge: JudgeDocument, onTab: () => void): Promise<void> {
  const tabs = await followTabs(browser, onTab);
  const { session } = tabs;
  session.on("Fetch.requestPaused", ({ requestId, request, frameId }) => {
    const url = URL.parse(request.url);
    const isTab = tabs.ids.has(frameId);
    // Only addresses of the web lead anywhere: others are texts and data of the page itself.
    const mayGo = url !== null && (!/^https?:$/.test(url.protocol) || judge({ url, isTab }));
    void answer(session, requestId, mayGo, isTab).catch(() => undefined);
  });
  await session.send("Fetch.enable", { patterns: [{ resourceType: "Document", requestStage: "Request" }] });
}

/** The main frame of a tab has the tab's id. */
async function followTabs(browser: Browser, onTab: () => void): Promise<Tabs> {
  const session = await browser.newBrowserCDPSession();
  const ids = new Set<string>();
  session.on("Target.targetCreated", ({ targetInfo }) => {
    if (targetInfo.type !== "page") return;
    ids.add(targetInfo.targetId);
    onTab();
  });
  session.on("Target.targetDestroyed", ({ targetId }) => ids.delete(targetId));
  await session.send("Target.setDiscoverTargets", { discover: true });
  return { session, ids };
}

async function answer(session: CDPSession, requestId: string, mayGo: boolean, isTab: boolean): Promise<void> {
  if (mayGo) return void (await session.send("Fetch.continueRequest", { requestId }));
  // A response without content leaves a tab where it is, while an error would replace its page.
  if (isTab) return void (await session.send("Fetch.fulfillRequest", { requestId, responseCode: 204 }));
  await session.send("Fetch.failRequest", { requestId, errorReason: "BlockedByClient" });
}
