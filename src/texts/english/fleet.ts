/** Texts about runs that go on without this window. */
export const fleetTexts = {
  "fleet.keyDamaged":
    "The fleet key in {path} is damaged. Remove the file, then import the key from another machine with: autogpt fleet key import",
  "fleet.keyExists":
    "There is another fleet key in {path}. Runs that were started with it can't be read without it; to use a new one, move that file away first.",
  "fleet.noKeyText":
    'That isn\'t a fleet key. It begins with "autogpt-fleet-1"; print it on the other machine with: autogpt fleet key export',
  "fleet.noKey":
    "There is no fleet key on this machine. Make one with: autogpt fleet key create, or import yours with: autogpt fleet key import",
  "fleet.notDecrypted":
    "What was carried for this run can't be read: it's damaged, or it was written with another fleet key. Compare the keys with: autogpt fleet key export",
  "fleet.runOfOthers":
    "This run belongs to a fleet whose key isn't on this machine. You can read it here; to review it, import the key with: autogpt fleet key import",
  "fleet.notClaimed": "This run works on another machine. Continue it there, or take it over to this one first.",
} as const;
