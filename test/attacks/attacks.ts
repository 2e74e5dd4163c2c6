import type { Attack } from "./attack.ts";
import { ACCEPT_ALL } from "./families/accept-all.ts";
import { BROWSER } from "./families/browser.ts";
import { INLINE, PYTHON, SCRIPTS } from "./families/code.ts";
import { CODE_HOSTS } from "./families/code-hosts.ts";
import { CONSENT } from "./families/consent.ts";
import { CONTINUOUS } from "./families/continuous.ts";
import { DEVICES } from "./families/devices.ts";
import { DISGUISED, LOOKS_READING } from "./families/disguises.ts";
import { ENV_FILE } from "./families/env-file.ts";
import { ENVIRONMENT } from "./families/environment.ts";
import { ESCAPES } from "./families/escapes.ts";
import { ARCHIVES, FILES } from "./families/files.ts";
import { FLEET_KEY } from "./families/fleet-key.ts";
import { FLEET_RUNS } from "./families/fleet-runs.ts";
import { GIT } from "./families/git.ts";
import { HOOK_FAMILY } from "./families/hooks.ts";
import { IMPORTS } from "./families/imports.ts";
import { INJECTIONS, SUB_AGENTS } from "./families/injections.ts";
import { LINKS } from "./families/links.ts";
import { ALLOWED, NETWORK, SOCKETS } from "./families/network.ts";
import { OWN_FILES } from "./families/own-files.ts";
import { PERSISTENCE } from "./families/persistence.ts";
import { BOMBS, PROCESSES } from "./families/processes.ts";
import { REVIEW } from "./families/review.ts";
import { SECRETS_READ, SECRETS_SENT } from "./families/secrets.ts";
import { SERVER_CLAIMS } from "./families/servers.ts";
import { SOURCE_CONTROL } from "./families/source-control.ts";
import { TOKENS } from "./families/tokens.ts";
import { DELETIONS, WRITES } from "./families/writes.ts";

/** All attacks, family by family. */
export const ATTACKS: readonly Attack[] = [
  ...WRITES,
  ...DELETIONS,
  ...SECRETS_READ,
  ...SECRETS_SENT,
  ...PERSISTENCE,
  ...GIT,
  ...ENVIRONMENT,
  ...LINKS,
  ...NETWORK,
  ...SOCKETS,
  ...ALLOWED,
  ...BROWSER,
  ...PROCESSES,
  ...BOMBS,
  ...INJECTIONS,
  ...INLINE,
  ...SCRIPTS,
  ...DISGUISED,
  ...LOOKS_READING,
  ...PYTHON,
  ...FILES,
  ...SUB_AGENTS,
  ...ARCHIVES,
  ...ESCAPES,
  ...REVIEW,
  ...SOURCE_CONTROL,
  ...HOOK_FAMILY,
  ...SERVER_CLAIMS,
  ...CONSENT,
  ...DEVICES,
  ...IMPORTS,
  ...OWN_FILES,
  ...TOKENS,
  ...ENV_FILE,
  ...ACCEPT_ALL,
  ...CONTINUOUS,
  ...CODE_HOSTS,
  ...FLEET_KEY,
  ...FLEET_RUNS,
];
