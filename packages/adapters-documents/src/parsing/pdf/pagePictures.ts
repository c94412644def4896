import { encodePng } from "../image/encodePng.ts"

/** An image as pdf.js decodes it; `kind` is the format of its pixels (`ImageKind` in pdf.js). */
interface DecodedImage {
  readonly width?: number
  readonly height?: number
  readonly kind?: number
  readonly data?: Uint8Array | Uint8ClampedArray
}

interface ObjectStore {
  get(name: string, take: (image: DecodedImage | null) => void): unknown
}

export interface PicturedPage {
  readonly objs: ObjectStore
  readonly commonObjs: ObjectStore
  getOperatorList(): Promise<{ readonly fnArray: ReadonlyArray<number>; readonly argsArray: ReadonlyArray<unknown> }>
  cleanup(): unknown
}

/** The least width and height of a picture: smaller ones are marks and lines. */
const LEAST_SIDE = 32
/** The most pictures of a page: scanners that cut a page into strips make fewer. */
const MAX_PICTURES = 64

/** The bits and channels of a pixel by `ImageKind`. */
const KINDS: Readonly<Record<number, { readonly bits: 1 | 8; readonly channels: 1 | 3 | 4 }>> = {
  1: { bits: 1, channels: 1 },
  2: { bits: 8, channels: 3 },
  3: { bits: 8, channels: 4 }
}

const pngOf = ({ data, height = 0, kind = 0, width = 0 }: DecodedImage): Uint8Array | undefined => {
  const pixels = KINDS[kind]
  if (data === undefined || pixels === undefined || Math.min(width, height) < LEAST_SIDE) return undefined
  return encodePng({ width, height, data, ...pixels })
}

/**
 * Returns the pictures that a page shows, as PNG files, in the order in which the page draws them. `paintImage` is the
 * number of pdf.js' operator that draws an image.
 */
export const pagePictures = async (page: PicturedPage, paintImage: number): Promise<ReadonlyArray<Uint8Array>> => {
  const { argsArray, fnArray } = await page.getOperatorList()
  const names = fnArray.flatMap((operator, index) => {
    const [name] = operator === paintImage ? (argsArray[index] as ReadonlyArray<unknown>) : []
    return typeof name === "string" ? [name] : []
  })
  const pictures: Array<Uint8Array> = []
  for (const name of new Set(names.slice(0, MAX_PICTURES))) {
    const store = name.startsWith("g_") ? page.commonObjs : page.objs
    const image = await new Promise<DecodedImage | null>((resolve) => void store.get(name, resolve))
    const png = image === null ? undefined : pngOf(image)
    if (png !== undefined) pictures.push(png)
  }
  page.cleanup()
  return pictures
}
