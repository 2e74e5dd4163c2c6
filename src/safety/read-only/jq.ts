import { readArguments } from "../shell/flags.ts";
import { UNKNOWN } from "../shell/reading.ts";
import type { Check } from "./check.ts";

const FLAGS =
  "-r -j -a -s -n -c -C -M -S -e -R --raw-output --join-output --ascii-output --slurp --null-input --compact-output --color-output --monochrome-output --sort-keys --exit-status --raw-input --tab --indent= --stream --seq";

/** `jq` with a filter that reads neither modules nor the environment. */
export const jq: Check = (args) => {
  const read = readArguments(FLAGS, args);
  if (typeof read === "string") return read;
  const [filter, ...files] = read.operands;
  if (!filter || filter.isPattern || filter.text.includes(UNKNOWN))
    return "Its filter is only known once it runs.";
  if (
    /\b(?:ENV|env|import|include|modulemeta|input_filename|get_search_list|__prog_args)\b/.test(filter.text)
  )
    return "Its filter reads the environment or other files.";
  return files.map((word) => ({ word, reveals: true }));
};
