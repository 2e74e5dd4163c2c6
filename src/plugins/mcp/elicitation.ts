import { isObject, type Json } from "../../core/base/json.ts";
import { escapeInvisible } from "../../core/base/text.ts";
import { displayText, type Sentence } from "../../texts/display-text.ts";
import type { ElicitAnswer } from "./sdk-client.ts";

/** The person who is asked a server's questions. */
export interface Questioner {
  /** Undefined if no person is available. */
  ask(question: Sentence): Promise<string | undefined>;
  /** Opens a page after the person has seen its complete address and agreed. */
  open(url: string): Promise<boolean>;
  /** Shows a notice about a question that is declined without asking. */
  tell?(text: Sentence): void;
}

const NO: ReadonlySet<string> = new Set(["", "no", "n", "decline", "nein", "いいえ"]);
const YES: ReadonlySet<string> = new Set(["y", "yes", "true", "ok", "ja", "はい"]);
/** Secrets that a form never asks for, because servers have pages for them. Without accents, like the results of `listSpellings`. */
const SECRET = new RegExp(
  [
    /passw|pwd|pass ?(?:phrase|code|key)|secret|token|credential|bearer|(?:session|auth\w*) ?cookie/,
    /(?:api|private|access|signing|encryption|license|master|ssh|gpg|pgp|recovery|session|auth\w*) ?keys?\b|keystore/,
    /\bpin\b|\bpin ?(?:code|number)|\bt?otp|\b[2m]fa\b|one.?time|authenticator|\bssn\b|\biban\b|\bcv[vc]2?\b/,
    /(?:credit|debit|bank|payment).?card|card ?(?:number|no\b|details)|account ?number|routing ?number|social.?security/,
    /(?:verification|recovery|backup|security|confirmation|auth\w*|access|sms|texted|[46].?digit|sign.?in|activation|two.?factor)[- ]?codes?\b/,
    /(?:code|digits|number).{0,20}(?:sent to you|texted|authenticator|by sms|from (?:the|your) (?:sms|text|e-?mail|phone|app))/,
    /(?:seed|recovery|backup|secret|wallet|mnemonic).?(?:phrase|words)|mnemonic|wallet.{0,20}words|words.{0,20}wallet/,
    /passwort|kennwort|geheim|zugangs(?:code|daten|schlussel)|einmal.?code|bestatigungscode|sicherheits(?:code|frage)|kartennummer|schlusselwort|privater schlussel/,
    /contrasen|clave (?:secreta|privada|de acceso|api)|codigo (?:de (?:verificac|seguran|segurid|acceso|confirmac)|secreto)|numero de tarjeta|frase semilla/,
    /mots? de passe|code (?:secret|confidentiel|d'acces|de (?:verif|secur|confirm|valid|connex))|\bjeton|cle (?:api|privee|secrete|d'acces)|numero de carte|phrase de recuperation/,
    /\bsenha|palavra.?passe|chave (?:privada|secreta|de acesso|da api)|cartao de credito/,
    /\bchiave (?:privata|segreta|api|di accesso)|codice (?:segreto|di (?:verif|sicur|access))|parola d'ordine|numero (?:di|della) carta/,
    /wachtwoord|toegangscode|\bhaslo|\bheslo|losenord|adgangskode|kodeord|passord|salasana|\bsifre|\bparolan|parola (?:ta|dvs)|jelszo|mat khau|kata sandi|lozink/,
    /парол|токен|секрет|ключ(?!ев)|пин-?код|код (?:подтверждения|из|безопасности)|номер карты|κωδικ|סיסמ|كلمة (?:المرور|السر)|پسورد|رمز عبور|पासवर्ड|รหัสผ่าน/,
    /密[码碼钥鑰]|口令|令牌|助[记記]词|助記詞|[验驗][证證][码碼]|卡[号號]|私[钥鑰]|暗証|パスワード|パスフレーズ|トークン|秘密|認証(?:コード|番号)|確認コード|カード番号|合言葉|ワンタイム|비밀|암호|토큰|인증 ?(?:번호|코드)|카드 ?번호/,
  ]
    .map(({ source }) => source)
    .join("|"),
  "iu",
);
/** Words that are disguised with blanks, signs or digits. */
const SPREAD =
  /password|passphrase|passcode|passwort|api(?:key|token)|privatekey|(?:secret|access)(?:key|token)|credential|seedphrase|kennwort|cardnumber|(?:verification|security|onetime)code|mnemonic|motdepasse|contrasena/i;
/** A word that mixes two alphabets to look like another word. */
const DISGUISED =
  /\p{Script=Latin}[\p{Script=Cyrillic}\p{Script=Greek}]|[\p{Script=Cyrillic}\p{Script=Greek}]\p{Script=Latin}/u;
/** Letters that resemble Latin ones, and the letters they resemble. */
const LIKE_LATIN = "асеіјорѕухһԁԛԝкмтнвпгαβεικνορτυχωıɑɡɩʟᴀʙᴄᴅᴇꜰɢʜɪᴊᴋᴍɴᴏᴘꞯʀꜱᴛᴜᴠᴡʏᴢօոսհłøđ";
const LATIN = "aceijopsyxhdqwkmthbnrabeiknoptuxwiagilabcdefghijkmnopqrstuvwyzonuhlod";
const LIKE_LETTERS: Readonly<Record<string, string>> = {
  ...Object.fromEntries([...LIKE_LATIN].map((letter, at) => [letter, LATIN[at] ?? letter])),
};
const DIGITS: Readonly<Record<string, string>> = {
  0: "o",
  1: "i",
  3: "e",
  4: "a",
  5: "s",
  7: "t",
  "@": "a",
  $: "s",
  "!": "i",
};
const MOST_FIELDS = 10;
const MOST_TRIES = 3;
const LONGEST = 2_000;

/** Asks the person a server's question, one field after another. Unanswered questions are declined. */
export async function askServerQuestion(server: string, request: unknown, person: Questioner): Promise<ElicitAnswer> {
  if (!isObject(request)) return { action: "decline" };
  const message = escapeInvisible(String(request.message ?? "")).slice(0, LONGEST);
  if (request.mode === "url") return openPage(server, message, String(request.url ?? ""), person);
  const { requestedSchema } = request;
  const properties =
    isObject(requestedSchema) && isObject(requestedSchema.properties) ? requestedSchema.properties : {};
  const required = isObject(requestedSchema) && Array.isArray(requestedSchema.required) ? requestedSchema.required : [];
  const fields = Object.entries(properties).filter((row): row is [string, Json] => isObject(row[1]));
  // As the server wrote it, since what is made visible or shortened no longer is the word that a person reads.
  const asked = [collectTexts([request.message]), collectTexts(requestedSchema), ...fields.map(collectTexts)];
  const asksSecret = asked.some((texts) => [...texts, texts.join(" ")].some(isAboutSecret));
  if (asksSecret || fields.length > MOST_FIELDS) {
    const code = asksSecret ? "mcp.asksSecret" : "mcp.asksTooMuch";
    person.tell?.(displayText(code, { server }));
    return { action: "decline" };
  }
  const content: Record<string, string | number | boolean | string[]> = {};
  if (fields.length === 0) {
    const agrees = await person.ask(displayText("mcp.asksYesNo", { server, message }));
    return agrees === undefined ? { action: "cancel" } : { action: isYes(agrees) ? "accept" : "decline", content };
  }
  for (const [name, field] of fields) {
    const isRequired = required.includes(name);
    const answer = await askField({ server, message, name, field, isRequired }, person);
    if (typeof answer === "object" && "action" in answer) return answer;
    if (answer !== undefined) content[name] = answer;
  }
  return { action: "accept", content };
}

/** All names and texts in a value. */
function collectTexts(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(collectTexts);
  if (isObject(value)) return Object.entries(value).flatMap(([name, inner]) => [name, ...collectTexts(inner)]);
  return value === undefined || value === null ? [] : [String(value)];
}

function isAboutSecret(text: string): boolean {
  const plain = removeHidden(text);
  const read = listSpellings(plain);
  const letters = read.map((one) => one.replace(/[^\p{L}]/gu, ""));
  return DISGUISED.test(plain) || read.some((one) => SECRET.test(one)) || letters.some((one) => SPREAD.test(one));
}

/** Removes invisible characters, and accents on letters. */
function removeHidden(text: string): string {
  return text
    .normalize("NFKD")
    .replace(/\p{Default_Ignorable_Code_Point}|\p{Cf}|(?![\n\t])\p{Cc}/gu, "")
    .replace(/(?<=[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}])\p{M}+/gu, "")
    .normalize("NFKC");
}

/** Possible readings of a text: names split into words, spread letters joined, and look-alike letters and digits replaced. */
function listSpellings(plain: string): readonly string[] {
  const words = plain.replace(/(?<=\p{Ll})(?=\p{Lu})|_+/gu, " ").toLowerCase();
  const joined = words.replace(
    /(?<![\p{L}\p{N}])[\p{L}\p{N}](?:[^\p{L}\p{N}]{1,3}[\p{L}\p{N}](?![\p{L}\p{N}])){2,}/gu,
    (run) => run.replace(/[^\p{L}\p{N}]/gu, ""),
  );
  const alike = [words, joined].map((one) => one.replace(/./gsu, (letter) => LIKE_LETTERS[letter] ?? letter));
  const read = alike.map((one) => one.replace(/[\d@$!]/g, (digit) => DIGITS[digit] ?? digit));
  return [words, joined, ...alike, ...read];
}

async function openPage(server: string, message: string, url: string, person: Questioner): Promise<ElicitAnswer> {
  const address = URL.parse(url);
  if (address?.protocol !== "https:" || address.username !== "") return { action: "decline" };
  const page = { server, message, host: address.host, url: escapeInvisible(url) };
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

/** A valid value; undefined if the field was left out. */
async function askField(
  { server, message, name, field, isRequired }: Field,
  person: Questioner,
): Promise<Value | undefined | ElicitAnswer> {
  const choices = findChoices(field);
  const about = [field.title ?? name, field.description].filter((text) => typeof text === "string");
  // It counts if the field is left out.
  if (field.default !== undefined) about.push(`[${JSON.stringify(field.default)}]`);
  const label = escapeInvisible([...about, ...(choices ? [choices.join(" / ")] : [])].join(": ")).slice(0, LONGEST);
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const said = await person.ask(displayText("mcp.asksField", { server, message, field: label }));
    if (said === undefined) return { action: "cancel" };
    const text = said.trim();
    if (field.type !== "boolean" && NO.has(text.toLowerCase()))
      return isRequired || text !== "" ? { action: "decline" } : undefined;
    const value = parseFieldValue(text, field, choices);
    if (value !== undefined) return value;
  }
  return { action: "decline" };
}

function findChoices({ enum: plain, oneOf, items }: Json): readonly string[] | undefined {
  if (Array.isArray(plain)) return plain.map(String);
  if (Array.isArray(oneOf)) return oneOf.filter(isObject).map((one) => String(one.const));
  if (!isObject(items)) return undefined;
  const { anyOf } = items;
  return Array.isArray(anyOf) ? anyOf.filter(isObject).map((one) => String(one.const)) : findChoices(items);
}

/** Undefined if the text isn't a valid value. */
function parseFieldValue(text: string, { type }: Json, choices: readonly string[] | undefined): Value | undefined {
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
