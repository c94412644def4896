/**
 * Formats a text for the cell of a table: on one line, and with escapes for characters that would end the cell or begin
 * an HTML element.
 */
export const cell = (text: string): string =>
  text
    .replaceAll(/\s+/g, " ")
    .replaceAll("|", "\\|")
    .replaceAll(/<(?=[a-z])/gi, "&lt;")
    .trim()

/** Formats `text` as a code span; an empty text stays empty. */
export const code = (text: string): string => (text === "" ? "" : `\`${text.replaceAll("|", "\\|")}\``)

/** Formats a table in Markdown. */
export const table = (heads: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string =>
  [heads, heads.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |`).join("\n")

/** Returns the text of a documentation comment without its marks. */
export const commentText = (comment: string): string =>
  comment
    .replace(/^\s*\/\*+/, "")
    .replace(/\*\/\s*$/, "")
    .split("\n")
    .map((line) => line.replace(/^\s*\* ?/, ""))
    .join("\n")
    .trim()

/** A generated page: a note that it is generated from the sources, the title and the parts. */
export const generatedPage = (title: string, parts: ReadonlyArray<string>): string =>
  `${[`# ${title}`, ...parts, "<!-- Written by `npm run docs:tables` from the sources: change those. -->"].join("\n\n")}\n`
