import { useEffect, useRef } from "react"
import { useMessages } from "../messages/MessagesProvider.tsx"
import classes from "./ShownText.module.css"
import { headingOf, type Mark, pagesOfText, type Stretch, type TextPart } from "./textParts.ts"
import { TextTable } from "./TextTable.tsx"
import { Pieces } from "./Pieces.tsx"

export interface ShownTextProps {
  readonly stretch: Stretch
  readonly marks?: ReadonlyArray<Mark>
}

const NO_MARKS: ReadonlyArray<Mark> = []

/** A stretch of a document's text for reading, scrolled to the first highlight. */
export const ShownText = ({ stretch, marks = NO_MARKS }: ShownTextProps) => {
  const { t } = useMessages()
  const place = useRef<HTMLDivElement>(null)
  const pages = pagesOfText(stretch, marks)
  const first = marks[0]?.start
  const isMarkdown = /\.(?:md|markdown)$/iu.test(stretch.filename)
  useEffect(() => {
    const mark = place.current?.querySelector("mark") ?? place.current?.querySelector("[data-passage]")
    mark?.scrollIntoView({ block: "center" })
  }, [stretch.documentId, first])
  return (
    <div ref={place} className={classes.text} data-marked={marks.length > 0}>
      {pages.map(({ page, parts }, index) => (
        <section key={page ?? index} aria-label={page === null ? undefined : t("documents.page", { page })}>
          {page !== null && (
            <p className={classes.page} aria-hidden="true">
              {t("documents.page", { page })}
            </p>
          )}
          {parts.map((part, place) => (
            <Part key={place} part={part} isMarkdown={isMarkdown} />
          ))}
        </section>
      ))}
    </div>
  )
}

const Part = ({ isMarkdown, part }: { readonly part: TextPart; readonly isMarkdown: boolean }) => {
  if ("table" in part) return <TextTable table={part.table} />
  const heading = isMarkdown ? headingOf(part.paragraph) : undefined
  return (
    <p className={heading === undefined ? undefined : classes.heading}>
      <Pieces paragraph={heading ?? part.paragraph} />
    </p>
  )
}
