import { Drawer, SegmentedControl } from "@mantine/core"
import { showSource, sourceSpan } from "@parley/core/reading"
import { useQuery } from "@tanstack/react-query"
import { Suspense, useMemo, useState } from "react"
import { Link } from "react-router"
import { hasStatus } from "../api/parley.ts"
import type { Source } from "../api/chats.ts"
import { documentTextQuery } from "../api/documents.ts"
import { ShownText } from "../documents/ShownText.tsx"
import type { Mark, Stretch } from "../documents/textParts.ts"
import { useMessages } from "../messages/MessagesProvider.tsx"
import { Loading } from "../shell/Loading.tsx"
import { ProblemNotice } from "../shell/ProblemNotice.tsx"
import { Icon } from "../theme/Icon.tsx"
import { placeWords } from "./placeWords.ts"
import classes from "./SourceDrawer.module.css"
import { lazyPart } from "../parts/lazyPart.ts"

const PdfPage = lazyPart(async () => (await import("../pdf/PdfPage.tsx")).PdfPage)

/** Length of the text that is shown before and after a passage, in UTF-16 units. */
const AROUND = 3_000

export interface SourceDrawerProps {
  readonly reply: string
  readonly sources: ReadonlyArray<Source>
  readonly shown: number | undefined
  readonly onShow: (number: number | undefined) => void
}

/** A source within its document. The sentences on which the reply rests are marked in the passage. */
export const SourceDrawer = ({ reply, sources, shown, onShow }: SourceDrawerProps) => {
  const { t } = useMessages()
  const index = sources.findIndex(({ number }) => number === shown)
  const source = sources[index]
  const step = (by: number) => sources[index + by]?.number
  return (
    <Drawer.Root
      opened={source !== undefined}
      onClose={() => onShow(undefined)}
      position="right"
      lockScroll={false}
      size="min(46rem, 100%)"
      padding={0}
      transitionProps={{ duration: 0 }}
      classNames={{ content: classes.content ?? "", title: classes.title ?? "", body: classes.body ?? "" }}
    >
      <Drawer.Overlay backgroundOpacity={0.35} />
      <Drawer.Content>
        <div className={classes.header}>
          <Drawer.Title>{source !== undefined && <Head source={source} reply={reply} />}</Drawer.Title>
          <Drawer.CloseButton aria-label={t("action.close")} />
        </div>
        <Drawer.Body>
          {source !== undefined && (
            <>
              <OpenedSource key={source.number} source={source} reply={reply} />
              <div className={classes.foot}>
                <Step icon="chevronLeft" label={t("sources.previous")} to={step(-1)} onShow={onShow} />
                <Step icon="chevronRight" label={t("sources.next")} to={step(1)} onShow={onShow} />
                <Link className={classes.open} to={addressOf(source, reply)}>
                  {t("sources.openDocument")}
                </Link>
              </div>
            </>
          )}
        </Drawer.Body>
      </Drawer.Content>
    </Drawer.Root>
  )
}

/** The address of the document's page, at the first marked words, or at the passage if no words are marked. */
const addressOf = (source: Source, reply: string): string => {
  const shown = showSource(source, reply)
  const [first] = shown.marks
  const within = first === undefined ? { start: 0, end: source.end - source.start } : sourceSpan(shown, first)
  return `/documents/${source.documentId}?from=${source.start + within.start}&to=${source.start + within.end}`
}

const Head = ({ source, reply }: { readonly source: Source; readonly reply: string }) => {
  const messages = useMessages()
  const place = placeWords(source.page, showSource(source, reply).path, messages)
  return (
    <>
      <span className={classes.number}>
        <span className="visually-hidden">{messages.t("sources.title", { number: source.number })}</span>
        <span aria-hidden="true">{source.number}</span>
      </span>
      <span className={classes.names}>
        <span className={classes.name}>{source.filename}</span>
        {place !== "" && <span className={classes.place}>{place}</span>}
      </span>
    </>
  )
}

interface StepProps {
  readonly icon: "chevronLeft" | "chevronRight"
  readonly label: string
  readonly to: number | undefined
  readonly onShow: (number: number) => void
}

const Step = ({ icon, label, to, onShow }: StepProps) => (
  <button
    type="button"
    className={classes.step}
    aria-label={label}
    disabled={to === undefined}
    onClick={() => {
      if (to !== undefined) onShow(to)
    }}
  >
    <Icon name={icon} />
  </button>
)

type View = "text" | "page"

/**
 * The number of the page for display: only pdf files have pages that the browser can draw. Slides are numbered, too,
 * but shown as text.
 */
const pageOf = ({ filename, page }: Source): number | null => (filename.toLowerCase().endsWith(".pdf") ? page : null)

const OpenedSource = ({ source, reply }: { readonly source: Source; readonly reply: string }) => {
  const { t } = useMessages()
  const [view, setView] = useState<View>("text")
  const page = pageOf(source)
  const shown = useMemo(() => showSource(source, reply), [source, reply])
  const quotes = useMemo(
    () => (shown.marks.length === 0 ? [shown.text] : shown.marks.map(({ start, end }) => shown.text.slice(start, end))),
    [shown]
  )
  return (
    <>
      {page !== null && (
        <div className={classes.views}>
          <SegmentedControl
            fullWidth
            aria-label={t("documents.view")}
            value={view}
            onChange={(chosen) => setView(chosen as View)}
            data={[
              { value: "text", label: t("documents.view.text") },
              { value: "page", label: t("documents.page", { page }) }
            ]}
          />
        </div>
      )}
      <section className={classes.scroller} tabIndex={0} aria-label={t("sources.around")}>
        {view === "page" && page !== null ? (
          <Suspense fallback={<Loading />}>
            <PdfPage documentId={source.documentId} page={page} marks={quotes} />
          </Suspense>
        ) : (
          <Around source={source} shown={shown} />
        )}
      </section>
    </>
  )
}

interface AroundProps {
  readonly source: Source
  readonly shown: ReturnType<typeof showSource>
}

/** The document's text around the passage, or only the passage if the document was deleted. */
const Around = ({ source, shown }: AroundProps) => {
  const { t } = useMessages()
  const { documentId, start, end } = source
  const query = documentTextQuery(documentId, Math.max(0, start - AROUND), end + AROUND)
  const { data: stretch, error, refetch } = useQuery(query)
  const marks = useMemo((): ReadonlyArray<Mark> => {
    const quotes = shown.marks.map((mark) => {
      const within = sourceSpan(shown, mark)
      return { kind: "quote", start: start + within.start, end: start + within.end } as const
    })
    return [{ kind: "passage", start, end }, ...quotes]
  }, [shown, start, end])
  if (stretch !== undefined) return <ShownText stretch={stretch} marks={marks} />
  if (error === null) return <Loading />
  if (!hasStatus(error, 404, 409)) {
    return <ProblemNotice error={error} onRetry={() => void refetch()} />
  }
  return (
    <>
      <p className={classes.gone}>{t("sources.gone")}</p>
      <ShownText stretch={passageAlone(source)} marks={marks} />
    </>
  )
}

const passageAlone = ({ documentId, end, filename, start, text }: Source): Stretch => ({
  documentId,
  filename,
  from: start,
  to: end,
  length: end,
  text,
  pages: null
})
