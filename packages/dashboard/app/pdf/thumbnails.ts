import { parley } from "../api/parley.ts"
import { openPdf, type OpenedPdf } from "./openPdf.ts"

/** Width of a picture, in pixels of the screen. */
const WIDTH = 44
/** Sharper than screens are is only slower. */
const MOST_PIXELS = 2
/** Files that stay open for further pictures: a reply cites few. */
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
    // A locked or broken file has no picture; its page says why when it is opened.
    return undefined
  }
}

/** The address of a small picture of a page, drawn once, one page at a time; undefined if it cannot be drawn. */
export const thumbnailOf = (documentId: string, page: number): Promise<string | undefined> => {
  const name = `${documentId} ${page}`
  const known = pictures.get(name)
  if (known !== undefined) return known
  const picture = last.then(() => draw(documentId, page))
  last = picture
  pictures.set(name, picture)
  return picture
}
