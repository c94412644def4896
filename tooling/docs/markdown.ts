/** Text for a cell of a table: on one line, without characters that would end the cell or start an element. */
export const cell = (text: string): string =>
  text
    .replaceAll(/\s+/g, " ")
    .replaceAll("|", "\\|")
    .replaceAll(/<(?=[a-z])/gi, "&lt;")
    .trim()

/** `text` as code; empty for an empty text. */
export const code = (text: string): string => (text === "" ? "" : `\`${text.replaceAll("|", "\\|")}\``)

/** A table of Markdown. */
export const table = (heads: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string =>
  [heads, heads.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |`).join("\n")

/** The text of a documentation comment, without its marks. */
export const commentText = (comment: string): string =>
  comment
    .replace(/^\s*\/\*+/, "")
    .replace(/\*\/\s*$/, "")
    .split("\n")
    .map((line) => line.replace(/^\s*\* ?/, ""))
    .join("\n")
    .trim()

/** A generated page: title, parts and a note that the sources write it. */
export const generatedPage = (title: string, parts: ReadonlyArray<string>): string =>
  `${[`# ${title}`, ...parts, "<!-- Written by `npm run docs:tables` from the sources: change those. -->"].join("\n\n")}\n`
