/** Markup that is safe to send: everything put into it is escaped. */
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

/** Builds markup; texts are escaped, markup and lists of it stand as they are. */
export const html = (strings: TemplateStringsArray, ...parts: ReadonlyArray<Part>): Html => ({
  markup: strings.reduce((text, next, index) => text + markupOf(parts[index - 1]) + next)
})

/** An address that a link may have; anything but a web page leads nowhere. */
export const webAddress = (text: string | null | undefined): string | undefined => {
  const url = text != null && URL.canParse(text) ? new URL(text) : undefined
  return url?.protocol === "http:" || url?.protocol === "https:" ? url.href : undefined
}
