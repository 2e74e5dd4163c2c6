import { everyCommand, nameOf, type ShellScript, type SimpleCommand } from "./reading.ts";

/** Programs and arguments that reach beyond the workspace or reveal secrets without naming a file. */
interface FarReachingRow {
  readonly programs: RegExp;
  /** Tested on the arguments, joined by blanks; absent: any arguments. */
  readonly args?: RegExp;
  readonly says: string;
}

const SHOWS_ENVIRONMENT = "shows the environment, which may hold secrets";
const SHOWS_SECRETS = "reveals credentials";
const CHANGES_SETTINGS = "changes settings that decide which programs run";
const STAYS = "schedules programs to run later";
const HIGHER = "acts with another user's rights";

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

/** A sentence on why a line reaches beyond the workspace without naming a protected file; undefined when it doesn't seem to. */
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
