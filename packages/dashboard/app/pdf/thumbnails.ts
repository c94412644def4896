import { parley } from "../api/parley.ts"
import { openPdf, type OpenedPdf } from "./openPdf.ts"

/** Width of a thumbnail in CSS pixels. */
const WIDTH = 44
/** The largest number of drawn pixels for each CSS pixel: a sharper drawing only takes longer. */
const MOST_PIXELS = 2
/** The largest number of files that stay open for further thumbnails: a reply cites only a few. */
const MOST_OPEN = 4

const files = new Map<string, OpenedPdf>()
const pictures = new Map<string, Promise<string | undefined>>()
let last: Promise<unknown> = Promise.resolve()

const fileOf = (documentId: string): OpenedPdf => {
  const opened = files.get(documentId) ?? openPdf(parley.documents.fileUrl(documentId))
  files.delete(documentId)
  files.set(documentId, opened)
  for (const [id, { close }] of files) {
    if (files.size <= MOST_OPEN) break
    files.delete(id)
    close()
  }
  return opened
}

const draw = async (documentId: string, number: number): Promise<string | undefined> => {
  try {
    const page = await (await fileOf(documentId).document).getPage(number)
    const scale = (WIDTH * Math.min(MOST_PIXELS, devicePixelRatio)) / page.getViewport({ scale: 1 }).width
    const viewport = page.getViewport({ scale })
    const canvas = document.createElement("canvas")
    canvas.width = Math.round(viewport.width)
    canvas.height = Math.round(viewport.height)
    await page.render({ canvas, viewport }).promise
    const bytes = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve))
    return bytes === null ? undefined : URL.createObjectURL(bytes)
  } catch {
    // A locked or broken file has no thumbnail; its page shows the reason when it is opened.
    return undefined
  }
}

/**
 * Returns the address of a thumbnail of a page; undefined if it cannot be drawn. Each thumbnail is drawn once, and only
 * one at a time.
 */
export const thumbnailOf = (documentId: string, page: number): Promise<string | undefined> => {
  const name = `${documentId} ${page}`
  const known = pictures.get(name)
  if (known !== undefined) return known
  const picture = last.then(() => draw(documentId, page))
  last = picture
  pictures.set(name, picture)
  return picture
}
