import { Loader } from "@mantine/core"
import { useResizeObserver } from "@mantine/hooks"
import { type PDFDocumentProxy, type PDFPageProxy, TextLayer } from "pdfjs-dist"
import { useEffect, useRef, useState } from "react"
import { parley } from "../api/parley.ts"
import { useMessages } from "../messages/MessagesProvider.tsx"
import { findInItems } from "./findInItems.ts"
import { openPdf } from "./openPdf.ts"
import classes from "./PdfPage.module.css"

/** The largest number of drawn pixels for each pixel of the page: a sharper drawing only takes longer. */
const MOST_PIXELS = 2

export interface PdfPageProps {
  readonly documentId: string
  /** The number of the page, beginning with 1. */
  readonly page: number
  /** The texts to mark on the page. */
  readonly marks?: ReadonlyArray<string>
  /** Called with the number of pages when the file is open. */
  readonly onPages?: (pages: number) => void
}

const NO_MARKS: ReadonlyArray<string> = []

/**
 * A page of a pdf as drawn by its author. A transparent text layer above it lets people select and search the text, and
 * screen readers read it.
 */
export const PdfPage = ({ documentId, page, marks = NO_MARKS, onPages }: PdfPageProps) => {
  const { t } = useMessages()
  const [place, { width }] = useResizeObserver<HTMLDivElement>()
  const pdf = usePdf(documentId, onPages)
  const [drawn, setDrawn] = useState<string>()
  const [failed, setFailed] = useState<string>()
  const sheet = useRef<HTMLDivElement>(null)
  const shownWidth = Math.round(width)
  const wanted = `${documentId} ${page}`
  useEffect(() => {
    if (pdf.document === undefined || sheet.current === null || shownWidth === 0) return
    const drawing = drawPage(pdf.document, page, sheet.current, shownWidth, marks)
    drawing.done.then(
      () => setDrawn(wanted),
      () => {
        if (!drawing.isCancelled()) setFailed(wanted)
      }
    )
    return drawing.cancel
  }, [pdf.document, page, marks, shownWidth, wanted])
  const hasFailed = pdf.problem !== undefined || failed === wanted
  return (
    <div ref={place} className={classes.place}>
      {hasFailed && (
        <p role="alert" className={classes.failed}>
          {t(pdf.problem === "locked" ? "documents.page.locked" : "documents.page.failed")}
        </p>
      )}
      {!hasFailed && drawn !== wanted && (
        <div className={classes.waiting} role="status">
          <Loader type="dots" color="var(--text-quiet)" />
          <span className="visually-hidden">{t("app.loading")}</span>
        </div>
      )}
      <section
        ref={sheet}
        className={classes.sheet}
        aria-label={t("documents.page", { page })}
        data-drawn={drawn === wanted}
        hidden={hasFailed}
      />
    </div>
  )
}

interface Pdf {
  readonly document?: PDFDocumentProxy
  readonly problem?: "locked" | "other"
}

/** Opens the file of a document, and closes it when the component is removed. */
const usePdf = (documentId: string, onPages: ((pages: number) => void) | undefined): Pdf => {
  const [pdf, setPdf] = useState<Pdf>({})
  const tell = useRef(onPages)
  useEffect(() => {
    tell.current = onPages
  }, [onPages])
  useEffect(() => {
    let isShown = true
    const { document, close } = openPdf(parley.documents.fileUrl(documentId))
    document.then(
      (opened) => {
        if (!isShown) return
        setPdf({ document: opened })
        tell.current?.(opened.numPages)
      },
      (error: unknown) => {
        const isLocked = error instanceof Error && error.name === "PasswordException"
        if (isShown) setPdf({ problem: isLocked ? "locked" : "other" })
      }
    )
    return () => {
      isShown = false
      setPdf({})
      close()
    }
  }, [documentId])
  return pdf
}

/** Draws a page as wide as its container, and above it the text layer with the marks. */
const drawPage = (
  pdf: PDFDocumentProxy,
  number: number,
  sheet: HTMLElement,
  width: number,
  marks: ReadonlyArray<string>
) => {
  let isCancelled = false
  let cancelDrawing = () => {}
  const draw = async () => {
    const page = await pdf.getPage(number)
    if (isCancelled) return
    const scale = width / page.getViewport({ scale: 1 }).width
    const viewport = page.getViewport({ scale })
    const pixels = Math.min(MOST_PIXELS, devicePixelRatio)
    const canvas = document.createElement("canvas")
    canvas.width = Math.floor(viewport.width * pixels)
    canvas.height = Math.floor(viewport.height * pixels)
    const task = page.render({ canvas, viewport, transform: [pixels, 0, 0, pixels, 0, 0] })
    cancelDrawing = () => task.cancel()
    await task.promise
    if (isCancelled) return
    const text = document.createElement("div")
    text.className = classes.text ?? ""
    sheet.style.setProperty("--total-scale-factor", String(scale))
    sheet.replaceChildren(canvas, text)
    await layText(page, text, viewport, marks)
  }
  return {
    done: draw(),
    isCancelled: () => isCancelled,
    cancel: () => {
      isCancelled = true
      cancelDrawing()
    }
  }
}

const layText = async (
  page: PDFPageProxy,
  container: HTMLElement,
  viewport: ReturnType<PDFPageProxy["getViewport"]>,
  marks: ReadonlyArray<string>
): Promise<void> => {
  const layer = new TextLayer({ textContentSource: page.streamTextContent(), container, viewport })
  await layer.render()
  const pieces = layer.textContentItemsStr as ReadonlyArray<string>
  for (const mark of marks) {
    for (const { item, start, end } of findInItems(pieces, mark)) markPart(layer.textDivs[item], start, end)
  }
  container.querySelector("mark")?.scrollIntoView({ block: "center" })
}

/** Marks a part of an element's text. An element that is marked already stays unchanged. */
const markPart = (piece: HTMLElement | undefined, start: number, end: number): void => {
  const words = piece?.firstChild
  if (!(words instanceof Text) || piece?.childNodes.length !== 1) return
  const range = document.createRange()
  range.setStart(words, Math.min(start, words.length))
  range.setEnd(words, Math.min(end, words.length))
  range.surroundContents(document.createElement("mark"))
}
