import { escapeInvisible, escapeInvisibleJson } from "../../core/base/text.ts";
import { ENCODER, type EncoderArchive, isEncoderInstalled } from "../../memory/embedding/encoder-files.ts";
import { installEncoder } from "../../memory/embedding/encoder-installation.ts";
import { type EmbeddingChoice, listEmbeddingChoices, OFFLINE } from "../../runtime/provider-embedding.ts";
import { printHelp } from "../exit-code.ts";
import { readFlags } from "../flags.ts";
import { createRunOptions } from "../options.ts";
import { runWithSession, type Session, type Subcommand } from "../session.ts";
import { UsageError } from "../usage-error.ts";
import { getEncoderFolder } from "./folder-memory.ts";

const ACTIONS: Readonly<Record<string, (session: Session, isAgreed: boolean) => Promise<void>>> = {
  list,
  install,
};

const USAGE = `Usage: autogpt embeddings list|install [options]

  list                    how memories can be found by meaning here, what leaves the machine, and what that
                          costs; --set model.embedding=NAME chooses one of them
  install                 download the encoder for model.embedding=offline; it shows addresses, licenses and
                          hashes, and asks first

  --yes                   install without asking
  --workspace DIR         the folder whose settings count (else the current one)
  --json                  print the list as JSON, one a line
Settings and their flags are those of a run.
`;

/** `autogpt embeddings …`: lists the sources of vectors, and installs the encoder. Throws `UsageError`. */
export const runEmbeddingsCommand: Subcommand = async (argv, env, around) => {
  const flags = readFlags(argv, { yes: {} });
  if (flags.has("help")) return printHelp(USAGE, around);
  const [name = "list", ...more] = flags.rest;
  const action = Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined;
  if (!action || more.length > 0)
    throw new UsageError(`"embeddings" takes one of these: ${Object.keys(ACTIONS).join(", ")}.`);
  const options = createRunOptions(flags, env, "stored run");
  return runWithSession(options, around, async (session) => {
    await action(session, flags.has("yes"));
    return { kind: "done" };
  });
};

async function list({ host, loaded, out, options, around }: Session): Promise<void> {
  const isInstalled = await isEncoderInstalled(getEncoderFolder(around.data));
  for (const choice of await listEmbeddingChoices(host.resolver, loaded.settings, []))
    out.writeLine(
      options.json
        ? escapeInvisibleJson(JSON.stringify(choice))
        : escapeInvisible(renderChoiceLine(choice, isInstalled)),
    );
}

function renderChoiceLine(choice: EmbeddingChoice, isInstalled: boolean): string {
  return `${choice.isChosen ? "* " : "  "}${getChoiceName(choice)}: ${formatChoiceCost(choice, isInstalled)}`;
}

function getChoiceName(choice: EmbeddingChoice): string {
  if (choice.kind === "provider" && choice.model === "") return `MODEL@${choice.provider}`;
  return choice.value === "" ? '""' : choice.value;
}

function formatChoiceCost(choice: EmbeddingChoice, isInstalled: boolean): string {
  switch (choice.kind) {
    case "builtIn":
      return "built in; nothing is downloaded or sent";
    case "encoder":
      return `all-MiniLM-L6-v2 on this machine, English; nothing is sent; ${
        isInstalled ? "installed" : `"embeddings install" downloads ${countMegabytes(ENCODER)} MB`
      }`;
    case "provider": {
      const price = choice.price === undefined ? "" : `, for ${choice.price} US dollars per million tokens`;
      return `the texts of memories are sent to ${choice.host}${price}`;
    }
    case "plugin":
      return `the texts of memories are given to the plugin ${choice.name}`;
  }
}

async function install(session: Session, isAgreed: boolean): Promise<void> {
  const { out, around } = session;
  const consent = async (): Promise<boolean> => {
    for (const archive of ENCODER)
      out.writeLine(
        `${archive.title}, license ${archive.license}, ${countMegabytes([archive])} MB\n  ${archive.url}\n  SHA-256 ${archive.sha256}`,
      );
    return isAgreed || confirmDownload(session);
  };
  const folder = getEncoderFolder(around.data);
  const isInstalled = await installEncoder({ folder, consent, signal: around.signal });
  out.writeLine(
    isInstalled
      ? `The encoder is in ${escapeInvisible(folder)}. --set model.embedding=${OFFLINE} uses it.`
      : "Nothing was downloaded.",
  );
}

async function confirmDownload({ lines, around }: Session): Promise<boolean> {
  if (!lines) throw new UsageError("There is no terminal to ask at. Add --yes to download the encoder.");
  const answer = await lines.ask(`Download ${countMegabytes(ENCODER)} MB? [y/N]\n> `, around.signal);
  return /^y(es)?$/i.test(answer?.trim() ?? "");
}

function countMegabytes(archives: readonly EncoderArchive[]): number {
  return Math.round(archives.reduce((sum, { bytes }) => sum + bytes, 0) / 1_000_000);
}
