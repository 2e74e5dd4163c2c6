import { randomUUID } from "node:crypto";
import { GitHubTalk } from "../../code-host/github-talk.ts";
import { readLocalRepository } from "../../code-host/local-repository.ts";
import { findRemoteRepository, getRepositoryAddress, type RemoteRepository } from "../../code-host/remotes.ts";
import { findTokenInEnvironment, getTokenVariable } from "../../code-host/servers.ts";
import { getErrorMessage } from "../../core/base/errors.ts";
import { tryJson } from "../../core/base/json.ts";
import { escapeInvisible } from "../../core/base/text.ts";
import { readFileText } from "../../disk/plain-file.ts";
import { signDecision } from "../../fleet/decision.ts";
import { importFleetKey, loadFleetKey } from "../../fleet/key.ts";
import type { CarryPlace } from "../../fleet/run-ref.ts";
import { submitRun } from "../../fleet/submit.ts";
import { createRunId } from "../../runs/store/run-folder.ts";
import { fail, writeInEnglish } from "../../texts/display-text.ts";
import { type ProgramEnd, printHelp } from "../exit-code.ts";
import { readFlags } from "../flags.ts";
import { createRunOptions, type RunOptions } from "../options.ts";
import { resolveWorkspaceFolder } from "../place.ts";
import { listServers, openRepository, quoteNamedIssue } from "../runs/issues.ts";
import type { Subcommand, Surroundings } from "../session.ts";
import { type Environment, loadSettings } from "../settings.ts";
import { UsageError } from "../usage-error.ts";
import {
  closeQuestions,
  fenceText,
  findAskedQuestion,
  type JobQuestion,
  type QuestionPlace,
  renderQuestionComment,
} from "./actions-comments.ts";
import { type ActionsRequest, readActionsRequest } from "./actions-event.ts";
import { renderEndComment, sendResult } from "./actions-result.ts";
import { createContinueQuestion, findQuestion, type JobWork, workWithAnswer } from "./actions-work.ts";

const USAGE = `Usage: autogpt ci [--label NAME] [--minutes N] [options]

Works on one stretch of a run in a job of GitHub Actions, as action.yml calls it. The event of the job says
what to do: a dispatch with a task or an issue, the label NAME (autogpt) on an issue, a comment that begins
with /autogpt, or the answer to a question. The run works in an isolated copy. What it would ask a person
ends the job with a comment; the answer starts the next job where this one has ended. After N minutes (340)
it ends in the same way. The result is a branch autogpt/RUN and a pull request.

Variables: FLEET_KEY (from "autogpt fleet key export"), GITHUB_TOKEN (GH_ENTERPRISE_TOKEN on GitHub
Enterprise), the key of the model, and those that GitHub sets. Options are those of a run. Docs: docs/fleet.md
`;

const OTHERS = { label: { value: "NAME" }, minutes: { value: "N" } } as const;
const FLEET_KEY = "FLEET_KEY";
/** GitHub ends a job after six hours. */
const MOST_MINUTES = 340;
const LONGEST_TITLE = 80;

/** A job of GitHub Actions. */
interface Job {
  readonly repository: RemoteRepository;
  readonly place: CarryPlace;
  readonly talk: GitHubTalk;
  readonly options: RunOptions;
  readonly around: Surroundings;
  readonly mostMs: number;
  print(text: string): void;
}

/** `autogpt ci`: one stretch of a run in a job of GitHub Actions. Throws `UsageError` and other sentences. */
export const runActionsCommand: Subcommand = async (argv, env, around) => {
  const flags = readFlags(argv, OTHERS);
  if (flags.has("help")) return printHelp(USAGE, around);
  const [stranger] = flags.rest;
  if (stranger !== undefined) throw new UsageError(`"ci" doesn't take "${stranger}".`);
  const minutes = Number(flags.findValue("minutes") ?? MOST_MINUTES);
  if (!(minutes > 0)) throw new UsageError("--minutes takes a number above 0.");
  const { [FLEET_KEY]: keyText = "", ...rest } = env;
  const own = { ...rest, INIT_CWD: env.GITHUB_WORKSPACE ?? env.INIT_CWD ?? process.cwd() };
  const options = createRunOptions(flags, own, "session");
  const restoreOutput = disableWorkflowCommands(env, around);
  try {
    const job = await openJob(options, around, { keyText, mostMs: minutes * 60_000 });
    const event = tryJson(await readFileText(demandVariable(env, "GITHUB_EVENT_PATH")));
    const { talk } = job;
    const label = flags.findValue("label") ?? "autogpt";
    return await handleRequest(job, await readActionsRequest(env.GITHUB_EVENT_NAME ?? "", event, { talk, label }));
  } finally {
    restoreOutput();
  }
};

/** Keeps the runner from obeying lines of the output that look like its commands, since texts of others are printed, too. */
function disableWorkflowCommands({ GITHUB_ACTIONS: isRunner }: Environment, { stdout }: Surroundings): () => void {
  if (isRunner !== "true") return () => undefined;
  const word = randomUUID().replaceAll("-", "");
  stdout.write(`::stop-commands::${word}\n`);
  return () => void stdout.write(`::${word}::\n`);
}

function demandVariable(env: Environment, name: string): string {
  const value = env[name]?.trim();
  if (!value) throw new UsageError(`The variable ${name} is missing. "ci" is for jobs of GitHub Actions.`);
  return value;
}

async function openJob(
  options: RunOptions,
  around: Surroundings,
  { keyText, mostMs }: { readonly keyText: string; readonly mostMs: number },
): Promise<Job> {
  const { env } = options;
  const { data, signal } = around;
  const servers = listServers({ options });
  const address = `${demandVariable(env, "GITHUB_SERVER_URL")}/${demandVariable(env, "GITHUB_REPOSITORY")}`;
  const repository = findRemoteRepository(address, servers);
  if (!repository) throw new UsageError(`${address} isn't the address of a repository on GitHub.`);
  const { server } = repository;
  const token = findTokenInEnvironment(server, env);
  if (token === undefined) throw new UsageError(`Put the job's token into ${getTokenVariable(server)}.`);
  if (keyText.trim() === "" && !(await loadFleetKey(data)))
    throw new UsageError(
      `The variable ${FLEET_KEY} is empty. Make a key with "autogpt fleet key create", print it with "autogpt fleet key export", and add it to the secrets of the repository.`,
    );
  const key = keyText.trim() === "" ? undefined : await importFleetKey(data, keyText);
  const workspace = await resolveWorkspaceFolder(options.workspace);
  // Wrong settings are reported before anything is sent.
  await loadSettings(workspace, options.sources);
  const local = await readLocalRepository(workspace, servers, signal);
  const basic = Buffer.from(`x-access-token:${token}`).toString("base64");
  const remote = `${getRepositoryAddress(repository)}.git`;
  const place: CarryPlace = {
    data,
    key: key ?? (await loadFleetKey(data)) ?? fail("fleet.noKey"),
    repository: local.repository,
    remote: {
      address: remote,
      settings: [
        ["credential.helper", ""],
        [`http.${remote}.extraHeader`, `Authorization: Basic ${basic}`],
      ],
    },
    signal,
  };
  const talk = await GitHubTalk.open(repository, token, () => import("../../code-host/octokit-client.ts"), signal);
  const print = (text: string): void => void around.stderr.write(`${escapeInvisible(text)}\n`);
  return { repository, place, talk, options: { ...options, workspace }, around, mostMs, print };
}

async function handleRequest(job: Job, request: ActionsRequest): Promise<ProgramEnd> {
  switch (request.kind) {
    case "ignored":
      job.print(request.why);
      if (request.replyTo !== undefined) await job.talk.addComment(request.replyTo, request.why);
      return { kind: "done" };
    case "start":
      return reportTrouble(job, request.issue, () => startTask(job, request));
    default:
      return reportTrouble(job, request.issue, () => continueAnswered(job, request));
  }
}

/** Says on the issue why the work couldn't be done, for people who don't look at jobs. */
async function reportTrouble(
  { talk }: Job,
  issue: number | undefined,
  act: () => Promise<ProgramEnd>,
): Promise<ProgramEnd> {
  try {
    return await act();
  } catch (error) {
    const why = `AutoGPT couldn't work on this.\n\n${fenceText(escapeInvisible(getErrorMessage(error)))}`;
    if (issue !== undefined) await talk.addComment(issue, why).catch(() => undefined);
    throw error;
  }
}

async function startTask(
  job: Job,
  { task, issue, by }: Extract<ActionsRequest, { kind: "start" }>,
): Promise<ProgramEnd> {
  const { place, options, around } = job;
  const whole =
    issue === undefined
      ? (task ?? "")
      : await quoteNamedIssue(
          await openRepository(job, job.repository),
          { number: issue, isMergeRequest: false },
          task,
          around.signal,
        );
  const run = createRunId(nameTask(task ?? `Issue ${issue}`), new Date());
  const wanted = { run, task: whole, settings: {}, submittedBy: by, folder: options.workspace };
  const { notes } = await submitRun(place, wanted);
  for (const note of notes) job.print(writeInEnglish(note));
  return workOn(job, { run, issue });
}

async function continueAnswered(
  job: Job,
  { hash, answer, comment, issue }: Extract<ActionsRequest, { kind: "answer" }>,
): Promise<ProgramEnd> {
  const { place, talk } = job;
  const found = findAskedQuestion(await talk.listComments(issue), { hash, comment }, placeQuestion(job, issue));
  const refuse = async (why: string): Promise<ProgramEnd> => {
    job.print(why);
    await talk.addComment(issue, why);
    return { kind: "done" };
  };
  if (!found) return refuse(`No question ${hash} is open here. Answer the newest question of the run.`);
  const { binding, kind, isWhole } = found;
  if (kind === "continue")
    return answer.kind === "approved"
      ? workOn(job, { run: binding.run, issue, atLeast: binding.attempt })
      : { kind: "done" };
  if (answer.kind === "approved" && !isWhole)
    return refuse(
      "What it proposes couldn't be shown here as a whole, so it can't be approved here. Refuse it, or say what to do instead.",
    );
  if (Date.now() >= binding.expiresMs) job.print("The answer came too late. The run asks again.");
  const signed = await signDecision(binding, answer, { ...place, nowMs: Date.now() });
  return workOn(job, { run: binding.run, issue, atLeast: binding.attempt, decision: { signed, binding } });
}

function placeQuestion({ repository: { owner, name }, place: { key } }: Job, issue: number): QuestionPlace {
  return { repository: `${owner}/${name}`, issue, key };
}

/** Claims a run, works on it until it asks or ends, and reports that. */
async function workOn(job: Job, at: JobWork & { readonly issue: number | undefined }): Promise<ProgramEnd> {
  const { place, options, around, talk } = job;
  const { run, issue } = at;
  const worked = await workWithAnswer(job, at);
  const { claimed, end } = worked;
  for (const note of claimed.notes) job.print(writeInEnglish(note));
  const ask = async (question: JobQuestion): Promise<ProgramEnd> => {
    const number =
      issue ?? (await talk.createIssue(`AutoGPT: ${nameTask(claimed.task.task)}`, `The run \`${run}\` asks here.`));
    job.print(`It asks: ${await talk.addComment(number, renderQuestionComment(question, placeQuestion(job, number)))}`);
    return { kind: "done" };
  };
  const question = findQuestion(worked);
  if (question) return ask(question);
  if (around.signal.aborted) return { kind: "stopped" };
  if (end.reason !== "finished")
    return ask(createContinueQuestion(claimed, renderEndComment(end), Date.now())).then(() => ({ kind: "run", end }));
  const result = await sendResult(place, { ...options, isolated: true }, around, run);
  if (issue !== undefined) {
    const text = `${renderEndComment(end)}\n\n${result.text}`;
    const over = createContinueQuestion(claimed, "", Date.now());
    await talk.addComment(issue, closeQuestions(text, over, placeQuestion(job, issue)));
  }
  job.print(result.text);
  return result.isSent ? { kind: "run", end } : { kind: "problem" };
}

/** The first line of a task. */
function nameTask(task: string): string {
  return (task.split("\n", 1)[0] ?? "").slice(0, LONGEST_TITLE);
}
