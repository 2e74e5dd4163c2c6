import { fieldsOf, itemsIn } from "./profile-yaml.ts";

const LISTS = [
  { title: "Constraints", names: ["constraints"] },
  { title: "Resources", names: ["resources"] },
  { title: "Good practice", names: ["best_practices", "performance_evaluations"] },
] as const;

/** A classic `prompt_settings.yaml` as lists for the prompt; "" when it adds nothing. Throws a sentence for any other file. */
export function promptSettings(text: string, file: string): string {
  const fields = fieldsOf(text, file, "constraints");
  const lists = LISTS.map(({ title, names }) => {
    const [name, value] = Object.entries(fields).find(([field]) => names.some((one) => one === field)) ?? [];
    if (value === undefined || value === null) return "";
    if (!Array.isArray(value))
      throw new Error(
        `Line ${lineOf(text, name)} of ${file}: "${name}" is not a list. Write each entry on a line of its own, after "- ".`,
      );
    const items = itemsIn(value).filter((item) => item !== "");
    return items.length === 0 ? "" : `${title}:\n${items.map((item) => `- ${item}`).join("\n")}`;
  });
  return lists.filter((list) => list !== "").join("\n\n");
}

/** The line that a field of a file's top begins on, from 1. */
function lineOf(text: string, name = ""): number {
  const start = new RegExp(`^\\uFEFF?["']?${name}["']?\\s*:`);
  return text.split("\n").findIndex((line) => start.test(line)) + 1;
}
