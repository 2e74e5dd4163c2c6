// The part of the product that plugins in `packages` may use: the public interface of plugins, their settings, and texts.

export { getErrorMessage } from "../core/base/errors.ts";
export { findHeaderProblem, renderResponse } from "../core/base/http-message.ts";
export { isObject, type Json, type JsonSchema, tryJson } from "../core/base/json.ts";
export { omitUndefined } from "../core/base/objects.ts";
export { cutMiddle, cutText, escapeInvisible } from "../core/base/text.ts";
export { decodeEscapes } from "../core/base/uri-path.ts";
export { formatPasswordName, hasControls, isAddress, type MailAccount, type MailServer } from "./own/mail-account.ts";
export type { DescribedApi } from "./own/own-plugins.ts";
export type { ApiSettings } from "./own/own-settings.ts";
export type { ApiDocuments, ReadDocument } from "./own/stored-descriptions.ts";
export type {
  HookContext,
  Plugin,
  PluginCall,
  PluginCommand,
  PluginFile,
  PluginResult,
  PrepareCallContext,
} from "./plugin.ts";
