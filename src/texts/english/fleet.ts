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
  "fleet.noKeygen":
    "The program ssh-keygen isn't on this machine, so signatures can't be made or checked. Install OpenSSH.",
  "fleet.notSigned":
    "The answer wasn't sent, because ssh-keygen can't sign with {path}. It says: {why} Add a key with a passphrase to the SSH agent, and put its public key there.",
  "fleet.decision.unreadable": "The answer can't be read: it's cut off, too long, or none. Answer again.",
  "fleet.decision.foreign":
    "The answer is for another run, another attempt or another fleet key. Answer the question as it's shown now.",
  "fleet.decision.otherVersion":
    "The answer was written by another version of AutoGPT. Update both machines, then answer again.",
  "fleet.decision.changed": "What was asked has changed since the answer. Look at the new question, then answer it.",
  "fleet.decision.late": "The answer came too late. The run asks again; answer the new question.",
  "fleet.decision.clock":
    "The answer is from the future: the clock of one of the machines is wrong. Set it, then answer again.",
  "fleet.decision.noSigner":
    "The answer has no signature of a person who may decide. They are in the file allowed_signers of the machine that runs.",
  "fleet.decision.again": "This question was answered already. The first answer counts.",
} as const;
