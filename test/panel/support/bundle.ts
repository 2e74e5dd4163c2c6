import path from "node:path";
import * as esbuild from "esbuild";
import { validatorsPlugin } from "../../../scripts/validators-plugin.mjs";

export interface PanelBundle {
  readonly script: string;
  readonly style: string;
}

let made: Promise<PanelBundle> | undefined;

/** The panel's script and style as the extension ships them, made from the sources once. */
export function panelBundle(): Promise<PanelBundle> {
  made ??= build();
  return made;
}

async function build(): Promise<PanelBundle> {
  const { outputFiles } = await esbuild.build({
    entryPoints: [path.join(import.meta.dirname, "../../../src/webview/app/main.ts")],
    outdir: "panel",
    bundle: true,
    write: false,
    minify: true,
    platform: "browser",
    format: "iife",
    target: "es2022",
    legalComments: "none",
    logLevel: "error",
    plugins: [validatorsPlugin],
  });
  const text = (extension: string): string => outputFiles.find((file) => file.path.endsWith(extension))?.text ?? "";
  return { script: text(".js"), style: text(".css") };
}
