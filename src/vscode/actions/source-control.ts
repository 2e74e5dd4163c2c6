import type { ModelResolver } from "../../models/model-resolver.ts";
import { findEnvironmentSecrets } from "../../runs/log/named-secrets.ts";
import { makeSecrets } from "../../runs/log/secrets.ts";
import type { KeyRing } from "../../runtime/services/key-ring.ts";
import { fail } from "../../texts/display-text.ts";
import type { RunLibrary } from "../host/run-library.ts";
import type { Starter } from "../host/starter.ts";
import type { McpSecrets } from "../plugins/mcp-secrets.ts";
import type { DraftedMessages } from "../review/drafted-messages.ts";
import type { ReviewComments } from "../review/review-comments.ts";
import type { ReviewerDependencies } from "../review/reviewer.ts";

/** Dependencies of the actions of Source Control. */
interface SourceControlDependencies {
  readonly desk: ModelResolver;
  readonly keys: KeyRing;
  readonly mcpSecrets: Pick<McpSecrets, "loadAll">;
  readonly starter: Starter;
  readonly library: Pick<RunLibrary, "costs">;
  showPanel(): Promise<void>;
}

/** Actions that draft commit messages and review changes. What they need is loaded by their first use. */
export function createSourceControlActions(dependencies: SourceControlDependencies) {
  const { desk, keys, library, mcpSecrets, starter, showPanel } = dependencies;

  const reviewer: ReviewerDependencies = {
    desk,
    library,
    createRedactor: async () => {
      const known = [...(await keys.listKeys()), ...(await mcpSecrets.loadAll())];
      return makeSecrets([...known, ...findEnvironmentSecrets(process.env)]).redact;
    },
  };
  let drafts: DraftedMessages | undefined;
  let comments: ReviewComments | undefined;

  /** Throws where no model may see the workspace, or where there is none. */
  const isReady = async (): Promise<boolean> => {
    await starter.demandPlace();
    return starter.offerSetup();
  };

  return {
    draftCommitMessage: async (given?: unknown) => {
      if (!(await isReady())) return;
      const loaded = await import("../review/drafted-messages.ts");
      drafts ??= new loaded.DraftedMessages(reviewer);
      await drafts.draft(given);
    },
    stopDrafting: async () => drafts?.stop(),
    reviewDiff: async (given?: unknown) => {
      if (!(await isReady())) return;
      const loaded = await import("../review/review-comments.ts");
      comments ??= new loaded.ReviewComments(reviewer);
      await comments.review(given);
    },
    fixFinding: async (given?: unknown) => {
      const fix = comments?.createFix(given);
      if (!fix) fail("scm.noFinding");
      if (!(await isReady())) return;
      await starter.startTask(fix);
      await showPanel();
    },
    dismissFinding: async (given?: unknown) => comments?.dismiss(given),
    clearFindings: async () => comments?.clear(),
  };
}
