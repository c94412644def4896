import { createContext, memo, type ReactNode, use, useId, useMemo, useState } from "react"
import type { Token, Tokens } from "marked"
import { useMessages } from "../messages/MessagesProvider.tsx"
import { CodeBlock } from "./code/CodeBlock.tsx"
import { isNote } from "./footnotes.ts"
import { Inline } from "./Inline.tsx"
import { Formula } from "./Formula.tsx"
import { NoteLabel, NotesOf } from "./NoteMark.tsx"
import { isFormula, lexMarkdown, normalMarkdown } from "./lexMarkdown.ts"
import classes from "./Markdown.module.css"
import { StreamedBlocks } from "./StreamedBlocks.ts"

export { loadFormulas } from "./formulaPart.ts"
export { SpokenReply } from "../spoken/SpokenReply.ts"

export interface MarkdownProps {
  readonly text: string
  /** True while the reply is being written: the end of the text may still change its look. */
  readonly isGrowing: boolean
}

/** The deepest nesting of blocks that fits on a phone; deeper ones are shown as text. */
const DEEPEST = 8

const Depth = createContext(0)

/**
 * Renders the markdown of a reply. It is safe by construction: it creates only the React elements written here, never
 * parses HTML, and loads nothing. Links lead only to web pages and mailboxes. HTML is shown as text.
 */
export const Markdown = ({ text, isGrowing }: MarkdownProps) => {
  const id = useId()
  const [streamed] = useState(() => new StreamedBlocks())
  // The blocks keep their keys when the reply ends, so that React does not render unchanged blocks again.
  const blocks = useMemo(() => {
    const normal = normalMarkdown(text)
    return isGrowing ? streamed.update(normal) : lexMarkdown(normal).map((token, key) => ({ key, token }))
  }, [streamed, text, isGrowing])
  return (
    <NotesOf value={id}>
      <div className={classes.markdown} data-markdown="">
        {blocks.map(({ key, token }) => (
          <Block key={key} token={token} />
        ))}
      </div>
    </NotesOf>
  )
}

const Blocks = ({ tokens }: { readonly tokens: ReadonlyArray<Token> }) =>
  // The blocks of a text have no ids, so their indexes are the keys.
  tokens.map((token, index) => <Block key={index} token={token} />)

/** Blocks within a block. */
const Within = ({ token }: { readonly token: { readonly raw: string; readonly tokens?: ReadonlyArray<Token> } }) => {
  const depth = use(Depth)
  if (depth >= DEEPEST) return token.raw
  return (
    <Depth value={depth + 1}>
      <Blocks tokens={token.tokens ?? []} />
    </Depth>
  )
}

/** A block that renders again only if its text has changed. */
const Block = memo(
  ({ token }: { readonly token: Token }) => drawBlock(token),
  (before, after) => before.token === after.token || (before.token.raw === after.token.raw && isPlain(after.token))
)

/** True if the look of a block depends only on its own text. A text with `[` may refer to a definition elsewhere. */
const isPlain = ({ raw }: Token): boolean => !raw.includes("[")

/** A fenced code block that is already closed. */
const FENCED = /^ {0,3}(`{3,}|~{3,})[\s\S]*\n {0,3}\1[`~]*\s*$/

const drawBlock = (block: Token): ReactNode => {
  if (isFormula(block)) return <Formula tex={block.tex} isDisplayed={block.isDisplayed} />
  if (isNote(block)) {
    return (
      <p className={classes.note}>
        <NoteLabel label={block.label} /> <Inline tokens={block.tokens} />
      </p>
    )
  }
  const token = block as Exclude<Tokens.Generic & Token, never>
  switch (token.type) {
    case "space":
    case "def":
      return null
    case "heading":
      // All headings have the same level, below the page's headings, because replies begin at any level and skip
      // levels.
      return (
        <h3 className={classes.heading} data-depth={token["depth"]}>
          <Inline tokens={token.tokens ?? []} />
        </h3>
      )
    case "paragraph":
      return (
        <p>
          <Inline tokens={token.tokens ?? []} />
        </p>
      )
    case "text":
      return token.tokens === undefined ? token.raw : <Inline tokens={token.tokens} />
    case "code": {
      const { lang, raw, text } = token as Tokens.Code
      return <CodeBlock language={lang} text={text} isWhole={FENCED.test(raw)} />
    }
    case "blockquote":
      return (
        <blockquote>
          <Within token={token} />
        </blockquote>
      )
    case "list":
      return <List list={token as Tokens.List} />
    case "table":
      return <Table table={token as Tokens.Table} />
    case "hr":
      return <hr />
    default:
      // HTML and unknown blocks are shown as text.
      return <p className={classes.literal}>{token.raw.trimEnd()}</p>
  }
}

const List = ({ list }: { readonly list: Tokens.List }) => {
  const { t } = useMessages()
  const items = list.items.map((item, index) => (
    <li key={index} data-task={item.task ? "" : undefined}>
      {item.task && (
        <input
          type="checkbox"
          checked={item.checked === true}
          readOnly
          disabled
          aria-label={t(item.checked === true ? "chat.taskDone" : "chat.taskOpen")}
        />
      )}
      <Within token={withoutCheckbox(item)} />
    </li>
  ))
  return list.ordered ? <ol start={Number(list.start) || undefined}>{items}</ol> : <ul>{items}</ul>
}

const withoutCheckbox = (item: Tokens.ListItem) => ({
  raw: item.raw,
  tokens: item.tokens.filter(({ type }) => type !== "checkbox")
})

const Table = ({ table }: { readonly table: Tokens.Table }) => (
  // `tabIndex` makes a wide table scrollable by keyboard.
  <div className={classes.table} tabIndex={0} role="group">
    <table>
      <thead>
        <tr>
          {table.header.map((cell, column) => (
            <th key={column} data-align={cell.align ?? undefined} scope="col">
              <Inline tokens={cell.tokens} />
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {table.rows.map((row, index) => (
          <tr key={index}>
            {row.map((cell, column) => (
              <td key={column} data-align={cell.align ?? undefined}>
                <Inline tokens={cell.tokens} />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)
