import type { ImageType } from "../../models/ChatMessage.ts"

/** The format of an image and its size in pixels, according to its header. */
export interface ImageHeader {
  readonly mediaType: ImageType
  readonly width: number
  readonly height: number
}

const startsWith = (bytes: Uint8Array, at: number, text: string): boolean => {
  for (let index = 0; index < text.length; index++) if (bytes[at + index] !== text.charCodeAt(index)) return false
  return true
}

/** PNG (third edition), 5.6 and 11.2.1: the first chunk, `IHDR`, contains the size. */
const pngHeader = (view: DataView): ImageHeader | undefined =>
  view.byteLength < 24 || view.getUint32(12) !== 0x49484452
    ? undefined
    : { mediaType: "image/png", width: view.getUint32(16), height: view.getUint32(20) }

const GIF_FRAME = 0x2c
const GIF_EXTENSION = 0x21

/**
 * GIF89a, 18 and 20: the size of the logical screen follows the signature. The first frame, which follows extensions of
 * any length, may be larger; then decoders return a larger image.
 */
const gifHeader = (view: DataView): ImageHeader | undefined => {
  if (view.byteLength < 13) return undefined
  const flags = view.getUint8(10)
  let at = 13 + (flags >= 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0)
  while (at + 10 <= view.byteLength && view.getUint8(at) === GIF_EXTENSION) {
    at += 2
    while (at < view.byteLength && view.getUint8(at) !== 0) at += 1 + view.getUint8(at)
    at += 1
  }
  if (at + 10 > view.byteLength || view.getUint8(at) !== GIF_FRAME) return undefined
  const edge = (screen: number, place: number, length: number) =>
    Math.max(view.getUint16(screen, true), view.getUint16(place, true) + view.getUint16(length, true))
  return { mediaType: "image/gif", width: edge(6, at + 1, at + 5), height: edge(8, at + 3, at + 7) }
}

/**
 * Returns true for a JPEG marker that begins a frame (ITU-T T.81, B.1.1.3): SOF0 to SOF15, without DHT, JPG and DAC.
 */
const isFrame = (marker: number): boolean => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)

/**
 * Returns true for a JPEG marker that has no segment, or that may only follow the frame header: TEM, RST0 to RST7, SOI,
 * EOI, SOS.
 */
const isMisplaced = (marker: number): boolean => marker <= 0x01 || (marker >= 0xd0 && marker <= 0xda)

/** JPEG: the frame header contains the size; segments of any length precede it. */
const jpegHeader = (view: DataView): ImageHeader | undefined => {
  for (let at = 2; at + 9 < view.byteLength;) {
    if (view.getUint8(at) !== 0xff) return undefined
    const marker = view.getUint8(at + 1)
    // Any number of fill bytes may precede a marker.
    if (marker === 0xff) at += 1
    // Decoders skip such a marker or stop at it, so they would find another frame than this loop.
    else if (isMisplaced(marker)) return undefined
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
