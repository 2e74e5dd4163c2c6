import * as vscode from "vscode";
import type { Limits } from "../../core/budget/budget.ts";
import type { ReplyFormat } from "../../core/ports/model.ts";
import { type RecallSettings, readRecallSettings } from "../../memory/recall/recall-settings.ts";
import { plainBaseUrl } from "../../models/http/endpoint.ts";
import { readAwaySettings, type ServiceSettings } from "../../services/settings.ts";

/** A price in US dollars per million tokens. */
interface Price {
  readonly input: number;
  readonly output: number;
  readonly cached?: number;
}

export type Provider = "auto" | "openai" | "azure" | "vscode";

/** The user's settings, read once for each use. What a workspace may not decide is scoped so in package.json. */
export interface Settings {
  readonly model: {
    readonly provider: Provider;
    readonly baseUrl: string;
    readonly smart: string;
    readonly fast: string;
    /** The model for vectors; "" needs none, `offline` is the encoder on this machine. */
    readonly embedding: string;
    readonly contextWindow: number;
    readonly timeoutSeconds: number;
    readonly prices: Readonly<Record<string, Price>>;
    readonly temperature?: number;
    readonly replyFormat: ReplyFormat | "auto";
  };
  readonly azure: {
    readonly endpoint: string;
    readonly apiVersion: string;
    readonly smartDeployment: string;
    readonly fastDeployment: string;
  };
  readonly run: {
    readonly continuous: boolean;
    readonly continuousLimit: number;
    readonly reuseProfile: boolean;
    /** 0: runs are kept for good. */
    readonly retentionDays: number;
  };
  readonly limits: Limits;
  readonly approval: {
    readonly openDiff: boolean;
    readonly deny: readonly string[];
    readonly rules: readonly unknown[];
    readonly readOnlyShell: boolean;
  };
  readonly disabledCommands: readonly string[];
  readonly shell: {
    readonly enabled: boolean;
    readonly timeoutSeconds: number;
    readonly sandbox: "off" | "confined" | "trusted";
  };
  readonly memory: RecallSettings;
  readonly python: { readonly interpreter: string; readonly useDocker: boolean };
  readonly away: ServiceSettings;
  readonly agents: { readonly max: number };
  readonly speech: boolean;
  readonly logLevel: string;
}

/** Reads the settings as they hold in a folder. */
export function readSettings(folder?: vscode.Uri): Settings {
  const all = vscode.workspace.getConfiguration("autogpt", folder ?? null);
  const value = <T>(key: string, fallback: T): T => all.get<T>(key) ?? fallback;
  const temperature = all.get<number | null>("model.temperature");
  return {
    model: {
      provider: value<Provider>("model.provider", "auto"),
      baseUrl: plainBaseUrl(value("model.baseUrl", "https://api.openai.com/v1")),
      smart: value("model.smart", ""),
      fast: value("model.fast", ""),
      embedding: value("model.embedding", "").trim(),
      contextWindow: value("model.contextWindow", 0),
      timeoutSeconds: value("model.timeoutSeconds", 120),
      prices: value<Record<string, Price>>("model.prices", {}),
      replyFormat: value<ReplyFormat | "auto">("model.replyFormat", "auto"),
      ...(typeof temperature === "number" ? { temperature } : {}),
    },
    azure: {
      endpoint: value("azure.endpoint", "").trim(),
      apiVersion: value("azure.apiVersion", "2024-10-21"),
      smartDeployment: value("azure.smartDeployment", ""),
      fastDeployment: value("azure.fastDeployment", ""),
    },
    run: {
      continuous: value("run.continuous", false),
      continuousLimit: value("run.continuousLimit", 25),
      reuseProfile: value("run.reuseProfile", false),
      retentionDays: value("run.retentionDays", 90),
    },
    limits: {
      steps: value("run.maxSteps", 100),
      tokens: value("run.maxTokens", 20_000_000),
      minutes: value("run.maxMinutes", 60),
      usd: value("run.budgetUsd", 2),
    },
    approval: {
      openDiff: value("approval.openDiff", true),
      deny: everyScope(all, "approval.deny"),
      rules: value<unknown[]>("approval.rules", []),
      readOnlyShell: value("approval.readOnlyShell", false),
    },
    disabledCommands: everyScope(all, "commands.disabled"),
    shell: {
      enabled: value("shell.enabled", true),
      timeoutSeconds: value("shell.timeoutSeconds", 120),
      sandbox: value<"off" | "confined" | "trusted">("shell.sandbox", "off"),
    },
    memory: readRecallSettings(value),
    python: {
      interpreter: value("python.interpreter", ""),
      useDocker: value("python.useDocker", false),
    },
    away: readAwaySettings(value),
    agents: { max: value("agents.max", 3) },
    speech: value("speech.enabled", false),
    logLevel: value("log.level", "info"),
  };
}

/** A list to which each scope only adds: a workspace can narrow what the user allows, never widen it. */
function everyScope(all: vscode.WorkspaceConfiguration, key: string): readonly string[] {
  const found = all.inspect<string[]>(key);
  const lists = [found?.globalValue, found?.workspaceValue, found?.workspaceFolderValue];
  return [
    ...new Set(
      lists.flatMap((list) => (Array.isArray(list) ? list : [])).filter((item) => typeof item === "string"),
    ),
  ];
}
