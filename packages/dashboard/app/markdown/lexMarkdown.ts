import { Lexer, Marked, type Token, type TokenizerExtension } from "marked"
import { footnotes } from "./footnotes.ts"

/** A formula: `$a$`, `\(a\)`, `$$a$$` or `\[a\]`. */
export interface FormulaToken {
  readonly type: "formula"
  readonly raw: string
  readonly tex: string
  readonly isDisplayed: boolean
}

export const isFormula = (token: { readonly type: string }): token is FormulaToken => token.type === "formula"

const DISPLAYED = /^(?:\$\$([^$]+?)\$\$|\\\[([\s\S]+?)\\\])(?:[ \t]*(?:\n|$))/
/**
 * Formulas within a line, as in pandoc: no space after the first `$` or before the last one, and no digit after it, so
 * that prices are not formulas.
 */
const IN_LINE = /^(?:\$\$([^$\n]+?)\$\$|\$(?![\s$])((?:\\.|[^$\n\\])*?)(?<![\s\\])\$(?!\d)|\\\((.+?)\\\)|\\\[(.+?)\\\])/

const displayed: TokenizerExtension = {
  name: "formula",
  level: "block",
  // Found only at the beginning of a line, because the start of a formula block ends a paragraph.
  start: (text) => {
    const match = /\n(?=\$\$|\\\[)/.exec(text)
    return match === null ? undefined : match.index + 1
  },
  tokenizer: (text): FormulaToken | undefined => {
    const match = DISPLAYED.exec(text)
    if (match === null) return undefined
    return { type: "formula", raw: match[0], tex: (match[1] ?? match[2] ?? "").trim(), isDisplayed: true }
  }
}

const inLine: TokenizerExtension = {
  name: "formula",
  level: "inline",
  start: (text) => /\$|\\[([]/.exec(text)?.index,
  tokenizer: (text): FormulaToken | undefined => {
    const match = IN_LINE.exec(text)
    if (match === null) return undefined
    const tex = (match[1] ?? match[2] ?? match[3] ?? match[4] ?? "").trim()
    return tex === "" ? undefined : { type: "formula", raw: match[0], tex, isDisplayed: false }
  }
}

const marked = new Marked({ gfm: true, breaks: false }, { extensions: [displayed, inLine, ...footnotes] })

const FORMULA = /\$\$|\\[([]|\$(?![\s$])[^$\n]*(?<![\s\\])\$(?!\d)/

/** True if a text may contain a formula. */
export const mayHaveFormula = (text: string): boolean => FORMULA.test(text)

/**
 * The longest run of marks that is parsed: longer runs would nest so deep that parsing and drawing overflow the stack.
 */
const DEEPEST = 60
const DEEP_QUOTES = new RegExp(`^((?:[ \\t]*>){${DEEPEST}})(?:[ \\t]*>)+`, "gm")

/** Normalises markdown before it is parsed: one kind of line end, and quotes only as deep as they can be drawn. */
export const normalMarkdown = (text: string): string => text.replace(/\r\n?/g, "\n").replace(DEEP_QUOTES, "$1")

/** The fallback for a text that cannot be parsed: one plain paragraph. */
const plain = (text: string): ReadonlyArray<Token> => [
  { type: "paragraph", raw: text, text, tokens: [{ type: "text", raw: text, text, escaped: false }] }
]

/** Parses normalised markdown to blocks. It produces no HTML; `Markdown` renders the blocks. */
export const lexMarkdown = (text: string): ReadonlyArray<Token> => {
  try {
    return new Lexer(marked.defaults).lex(text)
  } catch {
    return plain(text)
  }
}
