/** Text for a cell of a table: on one line, without what would end the cell or be read as an element. */
export const cell = (text: string): string =>
  text
    .replaceAll(/\s+/g, " ")
    .replaceAll("|", "\\|")
    .replaceAll(/<(?=[a-z])/gi, "&lt;")
    .trim()

/** `text` as code; nothing where there is nothing. */
export const code = (text: string): string => (text === "" ? "" : `\`${text.replaceAll("|", "\\|")}\``)

/** A table of Markdown. */
export const table = (heads: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string =>
  [heads, heads.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |`).join("\n")

/** What a comment of documentation says, without its marks. */
export const commentText = (comment: string): string =>
  comment
    .replace(/^\s*\/\*+/, "")
    .replace(/\*\/\s*$/, "")
    .split("\n")
    .map((line) => line.replace(/^\s*\* ?/, ""))
    .join("\n")
    .trim()

/** How every page begins that is written from the sources. */
export const generatedPage = (title: string, parts: ReadonlyArray<string>): string =>
  `${[`# ${title}`, ...parts, "<!-- Written by `npm run docs:tables` from the sources: change those. -->"].join("\n\n")}\n`
