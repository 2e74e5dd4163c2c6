/** Says where a rule that decided stands, so that it can be found and changed, as a sentence for people. */
export function ruleOrigin(rule: string): string {
  const [, setting, index] = /^(approval\.(?:rules|deny))\[(\d+)\]$/.exec(rule) ?? [];
  if (setting === "approval.rules")
    return `It is number ${Number(index) + 1} of your setting autogpt.approval.rules.`;
  if (setting !== undefined)
    return `It is number ${Number(index) + 1} of autogpt.approval.deny, from your settings or the workspace's.`;
  if (rule.startsWith("--yes-to ")) return "It was given on the command line.";
  return OWN[rule] ?? "It is built in.";
}

const OWN: Readonly<Record<string, string>> = {
  taught: "You taught it on a card. Show What Is Allowed lists it and takes it back.",
  grant: "You approved it in advance. Show What Is Allowed lists what is left and takes it back.",
  continuous: "Continuous mode approved it. Show What Is Allowed turns it off.",
  "read-only-shell": "It is built in, and your setting autogpt.approval.readOnlyShell turns it on.",
  sandbox: "It is built in, and your setting autogpt.shell.sandbox turns it on.",
};
