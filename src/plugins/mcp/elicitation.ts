import { isObject, type Json } from "../../core/base/json.ts";
import { visible } from "../../core/base/text.ts";
import { displayText, type Sentence } from "../../texts/display-text.ts";
import type { ElicitAnswer } from "./sdk-client.ts";

/** The person whom a server's question is put to. */
export interface Questioner {
  /** Undefined if no person is available. */
  ask(question: Sentence): Promise<string | undefined>;
  /** Opens a page, whose address the person has seen whole and agreed to. */
  open(url: string): Promise<boolean>;
  /** Shows a notice about a question that is declined without asking. */
  tell?(text: Sentence): void;
}

const NO: ReadonlySet<string> = new Set(["", "no", "n", "decline", "nein", "いいえ"]);
const YES: ReadonlySet<string> = new Set(["y", "yes", "true", "ok", "ja", "はい"]);
/** A form never asks for these. Servers have pages of their own for them. */
const SECRET =
  /passw|pwd|secret|token|credential|api.?key|private.?key|\bpin\b|card.?number|cvv|cvc\b|passphrase|passcode|\botp\b|\b[2m]fa\b|one.?time|(?:verification|recovery|backup|security).?code|(?:seed|recovery).?phrase|mnemonic|social.?security|kennwort|geheimzahl|contrase|senha|mot de passe|wachtwoord|парол|密码|密碼|口令|暗証|パスワード|비밀번호/i;
/** Words that are written so that they are looked over: with blanks or signs in them. */
const SPREAD = /password|passphrase|passcode|apikey|privatekey|accesstoken|credential|seedphrase|kennwort/i;
/** A word of two alphabets, which looks like another one. */
const DISGUISED =
  /\p{Script=Latin}[\p{Script=Cyrillic}\p{Script=Greek}]|[\p{Script=Cyrillic}\p{Script=Greek}]\p{Script=Latin}/u;
const MOST_FIELDS = 10;
const MOST_TRIES = 3;
const LONGEST = 2_000;

/** Puts a server's question to the person, one field after the other. Whatever isn't answered is declined. */
export async function elicited(server: string, request: unknown, person: Questioner): Promise<ElicitAnswer> {
  if (!isObject(request)) return { action: "decline" };
  const message = visible(String(request.message ?? "")).slice(0, LONGEST);
  if (request.mode === "url") return pageOpened(server, message, String(request.url ?? ""), person);
  const { requestedSchema } = request;
  const properties =
    isObject(requestedSchema) && isObject(requestedSchema.properties) ? requestedSchema.properties : {};
  const required =
    isObject(requestedSchema) && Array.isArray(requestedSchema.required) ? requestedSchema.required : [];
  const fields = Object.entries(properties).filter((row): row is [string, Json] => isObject(row[1]));
  const asksSecret = [["", { message }] as const, ...fields].some(([name, field]) =>
    isAboutSecret(`${name} ${JSON.stringify(field)}`),
  );
  if (asksSecret || fields.length > MOST_FIELDS) {
    const code = asksSecret ? "mcp.asksSecret" : "mcp.asksTooMuch";
    person.tell?.(displayText(code, { server }));
    return { action: "decline" };
  }
  const content: Record<string, string | number | boolean | string[]> = {};
  if (fields.length === 0) {
    const agrees = await person.ask(displayText("mcp.asksYesNo", { server, message }));
    return agrees === undefined
      ? { action: "cancel" }
      : { action: isYes(agrees) ? "accept" : "decline", content };
  }
  for (const [name, field] of fields) {
    const isRequired = required.includes(name);
    const answer = await answered({ server, message, name, field, isRequired }, person);
    if (typeof answer === "object" && "action" in answer) return answer;
    if (answer !== undefined) content[name] = answer;
  }
  return { action: "accept", content };
}

function isAboutSecret(text: string): boolean {
  const plain = text.normalize("NFKC").replace(/\p{Default_Ignorable_Code_Point}/gu, "");
  const letters = plain.replace(/[^\p{L}\p{N}]/gu, "");
  return SECRET.test(plain) || SPREAD.test(letters) || DISGUISED.test(plain);
}

async function pageOpened(
  server: string,
  message: string,
  url: string,
  person: Questioner,
): Promise<ElicitAnswer> {
  const address = URL.parse(url);
  if (address?.protocol !== "https:" || address.username !== "") return { action: "decline" };
  const page = { server, message, host: address.host, url: visible(url) };
  const answer = await person.ask(displayText("mcp.asksPage", page));
  if (answer === undefined) return { action: "cancel" };
  return isYes(answer) && (await person.open(url)) ? { action: "accept" } : { action: "decline" };
}

interface Field {
  readonly server: string;
  readonly message: string;
  readonly name: string;
  readonly field: Json;
  readonly isRequired: boolean;
}

type Value = string | number | boolean | string[];

/** A valid value; undefined for a field that was left out. */
async function answered(
  { server, message, name, field, isRequired }: Field,
  person: Questioner,
): Promise<Value | undefined | ElicitAnswer> {
  const choices = choicesOf(field);
  const about = [field.title ?? name, field.description].filter((text) => typeof text === "string");
  // It counts if the field is left out.
  if (field.default !== undefined) about.push(`[${JSON.stringify(field.default)}]`);
  const label = visible([...about, ...(choices ? [choices.join(" / ")] : [])].join(": ")).slice(0, LONGEST);
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const said = await person.ask(displayText("mcp.asksField", { server, message, field: label }));
    if (said === undefined) return { action: "cancel" };
    const text = said.trim();
    if (field.type !== "boolean" && NO.has(text.toLowerCase()))
      return isRequired || text !== "" ? { action: "decline" } : undefined;
    const value = fieldValue(text, field, choices);
    if (value !== undefined) return value;
  }
  return { action: "decline" };
}

function choicesOf({ enum: plain, oneOf, items }: Json): readonly string[] | undefined {
  if (Array.isArray(plain)) return plain.map(String);
  if (Array.isArray(oneOf)) return oneOf.filter(isObject).map((one) => String(one.const));
  if (!isObject(items)) return undefined;
  const { anyOf } = items;
  return Array.isArray(anyOf) ? anyOf.filter(isObject).map((one) => String(one.const)) : choicesOf(items);
}

/** Undefined if the text isn't a value of the field. */
function fieldValue(text: string, { type }: Json, choices: readonly string[] | undefined): Value | undefined {
  if (type === "array") {
    const chosen = text.split(",").map((one) => one.trim());
    return chosen.every((one) => choices?.includes(one) ?? true) ? chosen : undefined;
  }
  if (choices) return choices.find((one) => one.toLowerCase() === text.toLowerCase());
  if (type === "boolean") return isYes(text) ? true : NO.has(text.toLowerCase()) ? false : undefined;
  if (type !== "number" && type !== "integer") return text;
  const number = Number(text);
  const fits = text !== "" && Number.isFinite(number) && (type === "number" || Number.isInteger(number));
  return fits ? number : undefined;
}

function isYes(text: string): boolean {
  return YES.has(text.trim().toLowerCase());
}
