import { Fragment, type ReactNode, use } from "react"
import type { Token, Tokens } from "marked"
import { CitationsContext } from "./Citations.ts"
import { decodeEntities } from "./entities.ts"
import { isNoteMark } from "./footnotes.ts"
import { NoteMark } from "./NoteMark.tsx"
import { Formula } from "./Formula.tsx"
import { isFormula } from "./lexMarkdown.ts"
import classes from "./Markdown.module.css"
import { safeAddress } from "./safeAddress.ts"

/** The deepest nesting of inline marks; deeper ones are shown as text. */
const DEEPEST = 24

export interface InlineProps {
  readonly tokens: ReadonlyArray<Token>
  readonly depth?: number
}

/** The content of a line: text, marks, links, formulas and citations. */
export const Inline = ({ tokens, depth = 0 }: InlineProps): ReactNode =>
  tokens.map((token, index) => (
    <Fragment key={index}>{depth >= DEEPEST ? token.raw : drawInline(token, depth)}</Fragment>
  ))

const drawInline = (inline: Token, depth: number): ReactNode => {
  if (isFormula(inline)) return <Formula tex={inline.tex} isDisplayed={inline.isDisplayed} />
  if (isNoteMark(inline)) return <NoteMark label={inline.label} />
  const token = inline as Tokens.Generic
  const within = <Inline tokens={token.tokens ?? []} depth={depth + 1} />
  switch (token.type) {
    case "text":
      return token.tokens === undefined || token.tokens.length === 0 ? (
        <Words text={decodeEntities(String(token["text"]))} />
      ) : (
        within
      )
    case "escape":
      return String(token["text"])
    case "strong":
      return <strong>{within}</strong>
    case "em":
      return <em>{within}</em>
    case "del":
      return <del>{within}</del>
    case "codespan":
      return <code>{String(token["text"])}</code>
    case "br":
      return <br />
    case "link":
      return <Link address={String(token["href"])}>{within}</Link>
    case "image": {
      // Images are never loaded, because their server would learn that this reply is read, when and from where.
      const words = decodeEntities(String(token["text"])) || String(token["href"])
      return <Link address={String(token["href"])}>{words}</Link>
    }
    default:
      return token.raw
  }
}

const Link = ({ address, children }: { readonly address: string; readonly children: ReactNode }) => {
  const href = safeAddress(address)
  if (href === undefined) return <span>{children}</span>
  return (
    <a href={href} target="_blank" rel="noopener noreferrer nofollow ugc" title={href}>
      {children}
    </a>
  )
}

const CITATION = /\[(\d{1,4}(?:\s*,\s*\d{1,4})*)\]/g

/** Text in which citations are links to their sources. */
const Words = ({ text }: { readonly text: string }): ReactNode => {
  const citations = use(CitationsContext)
  if (citations === undefined || !text.includes("[")) return text
  const parts: Array<ReactNode> = []
  let from = 0
  for (const match of text.matchAll(CITATION)) {
    const numbers = (match[1] ?? "").split(",").map(Number)
    if (!numbers.every((number) => citations.numbers.has(number))) continue
    parts.push(text.slice(from, match.index))
    for (const number of numbers) {
      parts.push(
        <button
          key={`${match.index}-${number}`}
          type="button"
          className={classes.citation}
          aria-label={citations.label(number)}
          onClick={() => citations.onOpen(number)}
        >
          {number}
        </button>
      )
    }
    from = match.index + match[0].length
  }
  parts.push(text.slice(from))
  return parts
}
