import { everyCommand, nameOf, type ShellScript, type SimpleCommand } from "./reading.ts";

/** What reaches beyond the workspace or gives secrets away without naming a file: programs with the arguments that do it, and what to tell. */
interface FarReachingRow {
  readonly programs: RegExp;
  /** Looked for in the arguments, joined by blanks; absent: always. */
  readonly args?: RegExp;
  readonly says: string;
}

const SHOWS_ENVIRONMENT = "shows the environment, which may hold secrets";
const SHOWS_SECRETS = "gives out credentials";
const CHANGES_SETTINGS = "changes settings by which programs are run";
const STAYS = "starts programs by itself later on";
const HIGHER = "acts with the rights of another user";

const REACHING: readonly FarReachingRow[] = [
  { programs: /^printenv$/, says: SHOWS_ENVIRONMENT },
  { programs: /^(?:env|set|export)$/, args: /^(?:-0|-p)?$/, says: SHOWS_ENVIRONMENT },
  {
    programs: /^(?:gci|get-childitem|dir|ls|gi|get-item|gc|get-content|cat|type)$/,
    args: /(?:^| )env:/i,
    says: SHOWS_ENVIRONMENT,
  },
  { programs: /^(?:declare|typeset|readonly)$/, args: /^(?:-[a-z]*[xp][a-z]*)?$/, says: SHOWS_ENVIRONMENT },
  { programs: /^ps$/, args: /^[a-z]*e[a-z]*\b|\benviron\b/, says: SHOWS_ENVIRONMENT },
  { programs: /./, args: /\/proc\/[^/ ]+\/(?:environ|mem|auxv)\b/, says: SHOWS_ENVIRONMENT },
  { programs: /^git$/, args: /\bcredential\b|\bextraheader\b/i, says: SHOWS_SECRETS },
  {
    programs: /^git$/,
    args: /(?:^| )-c \S+=|(?:^| )--template\b|^config\b(?!(?: --?\S+)* (?:--get|--get-all|get|--list|-l)\b)(?: \S+){2,}|^config.* (?:--unset|--add|-e|--edit|set|--replace-all)\b/i,
    says: CHANGES_SETTINGS,
  },
  { programs: /^(?:gh|glab)$/, args: /\bauth (?:token|status.*-t)\b/, says: SHOWS_SECRETS },
  { programs: /^gpg2?$/, args: /--export-secret|--decrypt|(?:^| )-d\b/, says: SHOWS_SECRETS },
  { programs: /^(?:security|secret-tool|pass|op|keyring|cmdkey|kwallet-query)$/, says: SHOWS_SECRETS },
  { programs: /^docker-credential-/, says: SHOWS_SECRETS },
  {
    programs: /^aws$/,
    args: /\bconfigure (?:get|export)|\bget-session-token\b|\bassume-role\b|\bget-secret/,
    says: SHOWS_SECRETS,
  },
  {
    programs: /^(?:gcloud|az)$/,
    args: /\bprint-\S*token\b|\bget-access-token\b|\bsecrets? (?:versions access|show)\b/,
    says: SHOWS_SECRETS,
  },
  { programs: /^(?:kubectl|oc)$/, args: /\bview\b.*--raw|\bsecrets?\b/, says: SHOWS_SECRETS },
  { programs: /^vault$/, args: /\b(?:read|kv get|print token)\b/, says: SHOWS_SECRETS },
  {
    programs: /^(?:npm|pnpm|yarn|pip3?|conda|cargo|go|bundle)$/,
    args: /^config (?:set|edit|delete)\b|^env -w\b|^pkg set\b|^set-script\b|^token\b/,
    says: CHANGES_SETTINGS,
  },
  {
    programs: /^(?:code|code-insiders|codium|cursor)$/,
    args: /--install-extension\b/,
    says: CHANGES_SETTINGS,
  },
  { programs: /^(?:crontab|at|batch|schtasks|launchctl|systemd-run)$/, args: /\S/, says: STAYS },
  { programs: /^systemctl$/, args: /\b(?:enable|start|link|edit|daemon-reload)\b/, says: STAYS },
  { programs: /^(?:sudo|doas|su|pkexec|runas|gsudo)$/, says: HIGHER },
  { programs: /^chmod$/, args: /(?:^| )(?:[ugoa]*\+\w*s|[2467]\d{3})\b/, says: HIGHER },
  {
    programs: /^(?:docker|podman)$/,
    args: /\brun\b.*(?:-v|--volume|--mount|--privileged|--pid=host)/,
    says: HIGHER,
  },
];

/** Why a line reaches further than the workspace though it names no protected file, as a sentence; undefined when it does not seem to. */
export function farReaching(script: ShellScript): string | undefined {
  for (const command of everyCommand(script)) {
    const found = REACHING.find((reaching) => fits(reaching, command));
    if (found) return `It ${found.says} (${command.words[0]?.text ?? ""}).`;
  }
  return undefined;
}

function fits({ programs, args }: FarReachingRow, command: SimpleCommand): boolean {
  const name = nameOf(command) ?? "";
  if (name === "" || !programs.test(name)) return false;
  const [, ...words] = command.words;
  const text = words
    .map((word) => word.text)
    .join(" ")
    .slice(0, LONGEST);
  return args === undefined || args.test(text);
}

const LONGEST = 2000;
