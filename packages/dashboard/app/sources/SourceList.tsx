import { showSource } from "@parley/core/reading"
import { Suspense, useMemo, useState } from "react"
import type { Source } from "../api/chats.ts"
import { useMessages } from "../messages/MessagesProvider.tsx"
import { Icon } from "../theme/Icon.tsx"
import { citedNumbers } from "./citedNumbers.ts"
import { PageThumbnail } from "./PageThumbnail.tsx"
import { snippetOf } from "./snippet.ts"
import { placeWords } from "./placeWords.ts"
import classes from "./SourceList.module.css"
import { lazyPart } from "../parts/lazyPart.ts"

const SourceDrawer = lazyPart(async () => (await import("./SourceDrawer.tsx")).SourceDrawer)

export interface SourceListProps {
  /** The text of the reply, whose citations name the used sources. */
  readonly text: string
  readonly sources: ReadonlyArray<Source>
  /** The number of the opened source, if any. */
  readonly shown: number | undefined
  readonly onShow: (number: number | undefined) => void
}

/**
 * The sources that a reply cites, each with the sentences on which the reply rests. One click shows the other sources.
 */
export const SourceList = ({ text, sources, shown, onShow }: SourceListProps) => {
  const { t } = useMessages()
  const [isAllShown, setAllShown] = useState(false)
  const [wasOpened, setOpened] = useState(false)
  const cited = useMemo(() => citedNumbers(text), [text])
  const inReply = sources.filter(({ number }) => cited.has(number))
  const others = sources.length - inReply.length
  // A reply without citations may rest on any of its sources, so none is listed as cited.
  const listed = isAllShown ? sources : inReply
  const open = (number: number) => {
    setOpened(true)
    onShow(number)
  }
  return (
    <div role="group" className={classes.sources} aria-label={t("sources.label", { count: sources.length })}>
      {listed.length > 0 && (
        <ol className={classes.list}>
          {listed.map((source) => (
            <li key={source.number}>
              <SourceRow source={source} reply={text} isShown={source.number === shown} onOpen={open} />
            </li>
          ))}
        </ol>
      )}
      {others > 0 && !isAllShown && (
        <button type="button" className={classes.more} onClick={() => setAllShown(true)}>
          {t("sources.also", { count: others })}
        </button>
      )}
      {(wasOpened || shown !== undefined) && (
        <Suspense fallback={null}>
          <SourceDrawer reply={text} sources={sources} shown={shown} onShow={onShow} />
        </Suspense>
      )}
    </div>
  )
}

interface SourceRowProps {
  readonly source: Source
  readonly reply: string
  readonly isShown: boolean
  readonly onOpen: (number: number) => void
}

const SourceRow = ({ source, reply, isShown, onOpen }: SourceRowProps) => {
  const messages = useMessages()
  const shown = useMemo(() => showSource(source, reply), [source, reply])
  const snippet = snippetOf(shown)
  const place = placeWords(source.page, shown.path, messages)
  return (
    <button
      type="button"
      className={classes.row}
      aria-haspopup="dialog"
      aria-expanded={isShown}
      onClick={() => onOpen(source.number)}
    >
      <span className={classes.number}>
        <span className="visually-hidden">{messages.t("sources.title", { number: source.number })}</span>
        <span aria-hidden="true">{source.number}</span>
      </span>
      <span className={classes.words}>
        <span className={classes.where}>
          <span className={classes.name}>{source.filename}</span>
          {place !== "" && <span className={classes.place}>{place}</span>}
        </span>
        <span className={classes.snippet}>
          {snippet.before}
          {snippet.mark !== "" && <mark>{snippet.mark}</mark>}
          {snippet.after}
        </span>
      </span>
      <PageThumbnail source={source} />
      <Icon name="chevronRight" size={16} />
    </button>
  )
}
