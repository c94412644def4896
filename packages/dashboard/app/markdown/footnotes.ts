import type { Token, TokenizerExtension } from "marked"

/** The mark of a footnote in a text: `[^1]`. */
export interface NoteMark {
  readonly type: "noteMark"
  readonly raw: string
  readonly label: string
}

/** A footnote: `[^1]: The words.`, up to an empty line or the next footnote. */
export interface Note {
  readonly type: "note"
  readonly raw: string
  readonly label: string
  readonly tokens: Array<Token>
}

const LABEL = String.raw`\[\^([^\s\]]{1,32})\]`
const MARK = new RegExp(`^${LABEL}`)
const NOTE = new RegExp(String.raw`^ {0,3}${LABEL}:[ \t]*((?:[^\n]|\n(?![ \t]*(?:\n|\[\^)))+)(?:\n+|$)`)

export const isNoteMark = (token: { readonly type: string }): token is NoteMark => token.type === "noteMark"
export const isNote = (token: { readonly type: string }): token is Note => token.type === "note"

/** Extensions of the parser for GitHub's footnotes, each in one paragraph. */
export const footnotes: ReadonlyArray<TokenizerExtension> = [
  {
    name: "note",
    level: "block",
    start: (text) => {
      const match = /\n(?= {0,3}\[\^)/.exec(text)
      return match === null ? undefined : match.index + 1
    },
    tokenizer(text): Note | undefined {
      const match = NOTE.exec(text)
      if (match === null) return undefined
      const tokens = this.lexer.inline(match[2] ?? "", [])
      return { type: "note", raw: match[0], label: match[1] ?? "", tokens }
    }
  },
  {
    name: "noteMark",
    level: "inline",
    start: (text) => text.indexOf("[^"),
    tokenizer: (text): NoteMark | undefined => {
      const match = MARK.exec(text)
      return match === null ? undefined : { type: "noteMark", raw: match[0], label: match[1] ?? "" }
    }
  }
]
