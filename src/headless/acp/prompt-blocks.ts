import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import type { ContentBlock, EmbeddedResourceResource } from "@agentclientprotocol/sdk";
import { escapeInvisible, quoteAsData } from "../../core/base/text.ts";
import { isBelow } from "../../disk/below.ts";
import type { GivenPicture } from "../../runs/store/run-pictures.ts";
import type { Source } from "../../schema/run-values.ts";

/** A prompt as a run takes it. */
export interface EditorPrompt {
  /** The user's own words, with the files that they name. */
  readonly words: string;
  /** Texts that the user attached, quoted. */
  readonly blocks: readonly string[];
  readonly pictures: readonly GivenPicture[];
  /** Where attached texts come from that aren't the workspace's. */
  readonly sources: readonly Source[];
}

/** Reads the blocks of a prompt. Throws a sentence for one that no run can take. */
export function readPrompt(blocks: readonly ContentBlock[], folder: string): EditorPrompt {
  const words: string[] = [];
  const quoted: string[] = [];
  const pictures: GivenPicture[] = [];
  const sources: Source[] = [];
  for (const block of blocks)
    switch (block.type) {
      case "text":
        words.push(block.text);
        break;
      case "resource_link":
        // Its name is the words of whoever wrote the page, not the user's.
        words.push(nameResource(block.uri, folder) ?? escapeInvisible(block.uri.replace(/\s/g, "")));
        break;
      case "resource": {
        const { resource } = block;
        const file = nameResource(resource.uri, folder);
        quoted.push(quoteAsData(readResourceText(resource), file ?? resource.uri));
        if (file === undefined) sources.push({ kind: "web", name: resource.uri });
        break;
      }
      case "image":
        pictures.push({ name: block.uri ?? "picture", data: Buffer.from(block.data, "base64") });
        break;
      default:
        throw new Error("AutoGPT can't listen to sound. Send text, files or pictures.");
    }
  const text = words.join("").trim();
  if (text === "" && quoted.length + pictures.length === 0)
    throw new Error("The message is empty. Say what AutoGPT should do.");
  return { words: text === "" ? "See this." : text, blocks: quoted, pictures, sources };
}

function readResourceText(resource: EmbeddedResourceResource): string {
  if ("text" in resource) return resource.text;
  throw new Error(`${resource.uri} isn't text. Save it in the folder and name it, and AutoGPT reads it from there.`);
}

/** The mention of a file in the folder; undefined for anything else. */
function nameResource(uri: string, folder: string): string | undefined {
  try {
    const [, first, last] = /^#L(\d+)(?:[:-]L?(\d+))?$/.exec(new URL(uri).hash) ?? [];
    const path = fileURLToPath(uri.replace(/[?#].*$/, ""));
    if (!isBelow(path, folder) || escapeInvisible(path) !== path || /[\r\n\t]/.test(path)) return undefined;
    const name = `@${relative(folder, path).replaceAll("\\", "/")}`;
    if (first === undefined) return name;
    return last === undefined || last === first ? `${name} (line ${first})` : `${name} (lines ${first} to ${last})`;
  } catch {
    return undefined;
  }
}
