import * as vscode from "vscode";
import { assertNever } from "../../core/base/errors.ts";
import { describeRunEnd } from "../../core/events/end-text.ts";
import { findOpenQuestion } from "../../core/events/run-state.ts";
import { ModelError } from "../../core/ports/model.ts";
import {
  type ChatPart,
  createActionButton,
  createParagraph,
  createProblemParts,
  formatRunLink,
} from "../../editor/chat/chat-parts.ts";
import {
  type ChatTurn,
  determineChatIntent,
  followUps,
  readChatTurn,
  waitWithCancellation,
} from "../../editor/chat/chat-turn.ts";
import { addReferences, type ChatReference } from "../../editor/chat/references.ts";
import { showRunInChat } from "../../editor/chat/run-story.ts";
import type { HostedRun, HostedRuns } from "../../editor/panel/hosted-runs.ts";
import type { PluginCatalog } from "../../plugins/catalog.ts";
import { agreeToPlan } from "../../runtime/run-control.ts";
import { DisplayError, displayText, fail, getErrorText } from "../../texts/display-text.ts";
import { t, write } from "../../texts/language.ts";
import type { EditorIssues } from "../code-host/issues.ts";
import type { Starter } from "../host/starter.ts";
import type { StoredRuns } from "../host/stored-runs.ts";
import { findPlaceProblem, findPlaceRemedy, REMEDY_COMMANDS } from "../workspace/folders.ts";
import { type MentionParts, quoteMentions } from "../workspace/mentioned-context.ts";
import { demandInBounds, isWorkspaceFile } from "../workspace/mentions.ts";
import type { OwnWords } from "../workspace/own-words.ts";

/** Dependencies of the chat. */
interface ChatDependencies {
  readonly runs: HostedRuns;
  readonly stored: StoredRuns;
  readonly starter: Starter;
  readonly plugins: PluginCatalog;
  readonly issues: EditorIssues;
  readonly ownWords: OwnWords;
}

/** Answers in VS Code's chat. */
export function createChatParticipant(parts: ChatDependencies) {
  const inChat = new Set<string>();
  const answer = async (
    request: vscode.ChatRequest,
    context: vscode.ChatContext,
    response: vscode.ChatResponseStream,
    token: vscode.CancellationToken,
  ): Promise<vscode.ChatResult> => {
    const show = (part: ChatPart): void => {
      if (!token.isCancellationRequested) showPart(response, part);
    };
    try {
      const hosted = await begin(parts, request, findLastTurn(context), show);
      if (!hosted) return {};
      show(createParagraph(formatRunLink(hosted.id)));
      inChat.add(hosted.id);
      const telling = waitWithCancellation(hosted, token, () => showRunInChat(parts.runs, hosted, show));
      const end = await telling.finally(() => inChat.delete(hosted.id));
      return { metadata: { run: hosted.id, end } satisfies ChatTurn };
    } catch (error) {
      if (!(error instanceof vscode.CancellationError)) for (const part of createTroubleParts(error)) show(part);
      return {};
    }
  };
  return {
    answer,
    /** IDs of the runs that a chat answer is following. */
    inChat: inChat as ReadonlySet<string>,
    followUps: ({ metadata }: vscode.ChatResult): vscode.ChatFollowup[] => [...followUps(readChatTurn(metadata))],
  };
}

/** The last answer about a run in this chat. */
function findLastTurn({ history }: vscode.ChatContext): ChatTurn | undefined {
  return history
    .flatMap((turn) => (turn instanceof vscode.ChatResponseTurn ? [readChatTurn(turn.result.metadata)] : []))
    .findLast((turn) => turn !== undefined);
}

/** Starts, resumes or answers the run that a message is for; undefined if no run can continue. */
async function begin(
  parts: ChatDependencies,
  request: vscode.ChatRequest,
  last: ChatTurn | undefined,
  show: (part: ChatPart) => void,
): Promise<HostedRun | undefined> {
  const { runs, stored, starter, plugins, issues, ownWords } = parts;
  await starter.demandStart();
  const asking = last && (await findRunForMessage(parts, last));
  const intent = determineChatIntent({ command: request.command, prompt: request.prompt, last }, asking !== undefined);
  if (intent.kind === "noTask") fail("chat.noTask");
  const { text, leftOut } = await buildChatMessage(request, {
    plugins,
    issues,
    ownWords,
    tell: (problem) => show(createParagraph(write(problem))),
  });
  for (const name of leftOut) show(createParagraph(t("chat.leftOut", { file: name })));
  switch (intent.kind) {
    case "say":
      await asking?.live?.say(text);
      asking?.live?.resume();
      return asking;
    case "resume": {
      const hosted = intent.run === undefined ? await stored.openNewest() : await stored.open(intent.run);
      if (!hosted) fail("actions.steer.noneToResume");
      runs.show(hosted.id);
      return (await resume(hosted, text, show)) ? hosted : undefined;
    }
    case "start":
      if (!starter.shouldReviewProfile())
        return starter.startTask({
          task: text,
          own: (await ownWords.chooseStart(request.prompt, undefined))?.start,
          ...(intent.planFirst ? { mode: "plan" } : {}),
        });
      await vscode.commands.executeCommand("autogpt.startAgent", { task: text });
      show(createParagraph(t("chat.reviewProfile")));
      return undefined;
    default:
      return assertNever(intent);
  }
}

/** Finds an answer's run if the next message is for it: the run is running, or was interrupted by its question. */
async function findRunForMessage(
  { runs, stored }: ChatDependencies,
  { run, end }: ChatTurn,
): Promise<HostedRun | undefined> {
  const known = runs.get(run) ?? (end === "question" ? await stored.open(run).catch(() => undefined) : undefined);
  if (!known?.live || known.live.running) return known?.live && known;
  const isAsking = known.run.state.end === undefined && findOpenQuestion(known.run.state) !== undefined;
  return isAsking ? known : undefined;
}

/** Resumes a run with the user's text, if any. False if the run can't continue as it is. */
async function resume(
  { live, run, readOnly, id }: HostedRun,
  words: string,
  show: (part: ChatPart) => void,
): Promise<boolean> {
  if (!live) throw new DisplayError(readOnly ?? displayText("actions.readOnly"));
  const { end, mode } = run.state;
  if (!live.running && end?.reason === "exhausted" && !end.budget) {
    show(createParagraph(describeRunEnd(run.state).text));
    show(createActionButton("continueAgent", t("actions.raiseBudgetButton"), { runId: id }));
    return false;
  }
  if (!live.running && end?.reason === "finished" && words === "") {
    if (mode !== "plan") fail("chat.sayNext");
    await agreeToPlan(run);
  }
  if (words !== "") await live.say(words);
  live.resume();
  return true;
}

function createTroubleParts(error: unknown): readonly ChatPart[] {
  const parts = createProblemParts(getErrorText(error));
  if (error instanceof ModelError) return [...parts, createActionButton("tryDemo", t("actions.tryDemoButton"))];
  if (findPlaceProblem() === undefined) return parts;
  const remedy = findPlaceRemedy();
  const title = t(`actions.${remedy}Button`);
  return [...parts, { kind: "button", title, command: REMEDY_COMMANDS[remedy], args: [] }];
}

function showPart(response: vscode.ChatResponseStream, part: ChatPart): void {
  switch (part.kind) {
    case "text": {
      const markdown = new vscode.MarkdownString(part.markdown);
      markdown.isTrusted = { enabledCommands: ["autogpt.openRun"] };
      response.markdown(markdown);
      break;
    }
    case "progress":
      response.progress(part.markdown);
      break;
    case "button":
      response.button({ title: part.title, command: part.command, arguments: [...part.args] });
      break;
    default:
      assertNever(part);
  }
}

/** Builds a run's message with all its references, and lists the names of those that were left out. */
async function buildChatMessage(
  request: Pick<vscode.ChatRequest, "prompt" | "references">,
  servers: MentionParts,
): Promise<{ readonly text: string; readonly leftOut: readonly string[] }> {
  const known: ChatReference[] = [];
  const leftOut: string[] = [];
  for (const { id, range, value } of request.references) {
    if (value === undefined) continue;
    const reference = await readReference(value);
    if (reference) known.push({ ...reference, range });
    else leftOut.push(value instanceof vscode.Uri ? vscode.workspace.asRelativePath(value) : id);
  }
  const text = addReferences(request.prompt, known);
  return { text: await quoteMentions(text, servers, request.prompt), leftOut };
}

/** Undefined if a run can't or may not read the reference. Throws a sentence for a file that the user excludes from agents. */
async function readReference(value: unknown): Promise<ChatReference | undefined> {
  if (typeof value === "string") return { text: value };
  if (value instanceof vscode.Location) return readSelection(value);
  if (!(value instanceof vscode.Uri)) return undefined;
  await demandInBounds([value]);
  return (await isWorkspaceFile(value)) ? { file: vscode.workspace.asRelativePath(value) } : undefined;
}

async function readSelection({ uri, range }: vscode.Location): Promise<ChatReference> {
  await demandInBounds([uri]);
  const document = await vscode.workspace.openTextDocument(uri);
  return {
    file: vscode.workspace.asRelativePath(uri),
    lines: [range.start.line + 1, range.end.line + 1],
    text: document.getText(range),
  };
}
