import * as vscode from "vscode";
import { SignedOutError } from "../../code-host/failures.ts";
import { t } from "../../texts/language.ts";
import { showMessage } from "../host/notifications.ts";

/** Does something with the user's sign-in, and once more with a new one if the server no longer accepts it. */
export async function retrySignedOut<T>(act: (signIn: "ask" | "again") => Promise<T>): Promise<T> {
  try {
    return await act("ask");
  } catch (error) {
    if (!(error instanceof SignedOutError)) throw error;
    const again = t("codehost.signInButton");
    if ((await showMessage("warning", error.text, again)) !== again) throw new vscode.CancellationError();
    return act("again");
  }
}
