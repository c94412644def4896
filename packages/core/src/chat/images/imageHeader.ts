import type { ImageType } from "../../models/ChatMessage.ts"

/** The format of an image and its size in pixels, as its header says. */
export interface ImageHeader {
  readonly mediaType: ImageType
  readonly width: number
  readonly height: number
}

const startsWith = (bytes: Uint8Array, at: number, text: string): boolean => {
  for (let index = 0; index < text.length; index++) if (bytes[at + index] !== text.charCodeAt(index)) return false
  return true
}

/** PNG (third edition), 5.6 and 11.2.1: the size stands in the first chunk, `IHDR`. */
const pngHeader = (view: DataView): ImageHeader | undefined =>
  view.byteLength < 24 || view.getUint32(12) !== 0x49484452
    ? undefined
    : { mediaType: "image/png", width: view.getUint32(16), height: view.getUint32(20) }

/** GIF89a, 18: the size of the logical screen follows the signature. */
const gifHeader = (view: DataView): ImageHeader | undefined =>
  view.byteLength < 10
    ? undefined
    : { mediaType: "image/gif", width: view.getUint16(6, true), height: view.getUint16(8, true) }

/** The markers of JPEG (ITU-T T.81, B.1.1.3) that begin a frame: SOF0 to SOF15 without DHT, JPG and DAC. */
const isFrame = (marker: number): boolean => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)

/** JPEG: the size stands in the frame header, behind segments of any length. */
const jpegHeader = (view: DataView): ImageHeader | undefined => {
  for (let at = 2; at + 9 < view.byteLength;) {
    if (view.getUint8(at) !== 0xff) return undefined
    const marker = view.getUint8(at + 1)
    // Any number of fill bytes may stand before a marker.
    if (marker === 0xff) at += 1
    else if (isFrame(marker)) {
      return { mediaType: "image/jpeg", height: view.getUint16(at + 5), width: view.getUint16(at + 7) }
    } else at += 2 + view.getUint16(at + 2)
  }
  return undefined
}

/** WebP (RFC 9649): the first chunk is `VP8 ` (lossy), `VP8L` (lossless) or `VP8X` (extended). */
const webpHeader = (bytes: Uint8Array, view: DataView): ImageHeader | undefined => {
  if (view.byteLength < 30) return undefined
  const size = (width: number, height: number): ImageHeader => ({ mediaType: "image/webp", width, height })
  if (startsWith(bytes, 12, "VP8 ")) return size(view.getUint16(26, true) & 0x3fff, view.getUint16(28, true) & 0x3fff)
  if (startsWith(bytes, 12, "VP8L")) {
    const bits = view.getUint32(21, true)
    return size((bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1)
  }
  if (!startsWith(bytes, 12, "VP8X")) return undefined
  const three = (at: number) => view.getUint16(at, true) + view.getUint8(at + 2) * 65_536 + 1
  return size(three(24), three(27))
}

/** Reads the header of an image; undefined if it is of another format, or has no size. */
export const imageHeader = (bytes: Uint8Array): ImageHeader | undefined => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const read = () => {
    if (startsWith(bytes, 0, "\x89PNG\r\n\x1a\n")) return pngHeader(view)
    if (startsWith(bytes, 0, "GIF87a") || startsWith(bytes, 0, "GIF89a")) return gifHeader(view)
    if (startsWith(bytes, 0, "\xff\xd8\xff")) return jpegHeader(view)
    if (startsWith(bytes, 0, "RIFF") && startsWith(bytes, 8, "WEBP")) return webpHeader(bytes, view)
    return undefined
  }
  const header = read()
  return header === undefined || header.width === 0 || header.height === 0 ? undefined : header
}
