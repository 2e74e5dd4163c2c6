/** Texts about a fleet on Temporal. */
export const temporalTexts = {
  "temporal.badAddress":
    '"{text}" isn\'t the address of a Temporal server. Write it like temporal://host:7233, with /namespace after it if it isn\'t "default".',
  "temporal.noFile": "{name} names the file {path}, which can't be read. Correct the path, then start again.",
  "temporal.unreachable":
    "The Temporal server at {host} can't be reached: {why} Check the address, its certificate and your access; runs there go on without this program.",
  "temporal.notSealed":
    "The fleet sent a log that none of its machines has written, so it isn't shown. Compare the fleet keys with: autogpt fleet key export",
  "temporal.ended":
    "The run can't continue on the fleet's workers: {why} Correct that there, then say something to the run to continue it.",
  "temporal.noRemote":
    "{folder} has no remote repository through which runs could travel. Name one with --repository ADDRESS.",
} as const;
