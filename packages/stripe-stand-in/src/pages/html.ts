/** Markup that is safe to send, because every text in it was escaped. */
export interface Html {
  readonly markup: string
}

const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;"
}

const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? "")

type Part = Html | string | number | undefined | false | ReadonlyArray<Html>

const markupOf = (part: Part): string => {
  if (part === undefined || part === false) return ""
  if (typeof part === "string" || typeof part === "number") return escaped(String(part))
  return "markup" in part ? part.markup : part.map(({ markup }) => markup).join("")
}

/** Builds markup: texts are escaped; markup and lists of markup are inserted as they are. */
export const html = (strings: TemplateStringsArray, ...parts: ReadonlyArray<Part>): Html => ({
  markup: strings.reduce((text, next, index) => text + markupOf(parts[index - 1]) + next)
})

/** Returns the address for a link; undefined if it is not the address of a web page. */
export const webAddress = (text: string | null | undefined): string | undefined => {
  const url = text != null && URL.canParse(text) ? new URL(text) : undefined
  return url?.protocol === "http:" || url?.protocol === "https:" ? url.href : undefined
}
