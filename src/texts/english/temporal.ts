/** Texts about a fleet on Temporal. */
export const temporalTexts = {
  "temporal.badAddress":
    '"{text}" isn\'t the address of a Temporal server. Write it like temporal://host:7233, with /namespace after it if it isn\'t "default".',
  "temporal.noFile": "{name} names the file {path}, which can't be read. Correct the path, then start again.",
  "temporal.badCertificate":
    "What AUTOGPT_TEMPORAL_CA, AUTOGPT_TEMPORAL_CERT and AUTOGPT_TEMPORAL_KEY name can't be used: {why} Name PEM files that belong together, then start again.",
  "temporal.unreachable":
    "The Temporal server at {host} can't be reached: {why}. Check its address and certificate, and your access.",
  "temporal.tooOld":
    "The Temporal server at {host} has version {version}, which is too old. Update it to 1.20 or newer.",
  "temporal.noNamespace":
    'The Temporal server at {host} has no namespace "{namespace}". Correct the address, or create the namespace there.',
  "temporal.denied":
    "The Temporal server at {host} refuses the access: {why} Check AUTOGPT_TEMPORAL_API_KEY, or the certificate that AUTOGPT_TEMPORAL_CERT names.",
  "temporal.tooLong":
    "That is too long for Temporal, which takes 2 MB at once. Nothing was sent; say it in fewer words, or put the text into a file of the repository.",
  "temporal.otherKey":
    "The run was sent with another fleet key than that of this machine, so it can't be read. Compare the keys with: autogpt fleet key export",
  "temporal.ended":
    "The run can't continue on the fleet's workers: {why} Correct that there, then say something to the run to continue it.",
  "temporal.noRemote":
    "{folder} has no remote repository through which runs could travel. Name one with --repository ADDRESS.",
} as const;
