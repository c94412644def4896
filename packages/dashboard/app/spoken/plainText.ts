import type { Token, Tokens } from "marked"
import { decodeEntities } from "../markdown/entities.ts"
import { isFormula } from "../markdown/lexMarkdown.ts"

/** The deepest nesting whose marks are removed; deeper parts stay as they are written. */
const DEEPEST = 24

/** The text of a markdown block without its marks, as it can be spoken. */
export const plainText = (token: Token): string => textOf(token, 0).trim()

const textOf = (inline: Token, depth: number): string => {
  if (isFormula(inline)) return inline.tex
  const token = inline as Tokens.Generic
  if (depth >= DEEPEST) return token.raw
  const within = (separator: string) =>
    (token.tokens ?? [])
      .map((each) => textOf(each, depth + 1))
      .filter((text) => text !== "")
      .join(separator)
  switch (token.type) {
    case "space":
    case "def":
    case "hr":
    case "checkbox":
      return ""
    case "br":
      return " "
    case "text":
      return token.tokens === undefined ? decodeEntities(String(token["text"])) : within("")
    case "image":
      return decodeEntities(String(token["text"])) || String(token["href"])
    case "escape":
    case "code":
    case "codespan":
      return String(token["text"])
    case "paragraph":
    case "heading":
    case "strong":
    case "em":
    case "del":
    case "link":
      return within("")
    case "blockquote":
    case "list_item":
      return within("\n")
    case "list":
      return (token as Tokens.List).items.map((item) => textOf(item, depth + 1).trim()).join("\n")
    case "table":
      return tableText(token as Tokens.Table)
    default:
      return token.raw
  }
}

/** Each row of a table becomes a sentence, with each cell after the name of its column. */
const tableText = ({ header, rows }: Tokens.Table): string => {
  const cellText = ({ tokens }: Tokens.TableCell) => tokens.map((each) => textOf(each, 1)).join("")
  const names = header.map(cellText)
  const lines = rows.map((row) =>
    row
      .map(cellText)
      .map((cell, column) => (cell === "" ? "" : [names[column] ?? "", cell].filter((text) => text !== "").join(": ")))
      .filter((text) => text !== "")
      .join(", ")
  )
  return (lines.length === 0 ? [names.join(", ")] : lines).map((line) => `${line}.`).join("\n")
}
