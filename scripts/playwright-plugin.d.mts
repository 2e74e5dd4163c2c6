import type { Plugin } from "esbuild";

export declare const playwrightPlugin: Plugin;
