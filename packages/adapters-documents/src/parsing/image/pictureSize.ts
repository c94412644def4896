/** The picture formats that are read. */
export type PictureFormat = "png" | "jpeg" | "webp" | "heic"

export interface PictureSize {
  readonly width: number
  readonly height: number
}

const ascii = (bytes: Buffer, from: number, to: number): string => bytes.toString("latin1", from, to)

/** Detects the format of a picture by its first bytes. */
export const pictureFormat = (bytes: Buffer): PictureFormat | undefined => {
  if (ascii(bytes, 0, 8) === "\x89PNG\r\n\x1a\n") return "png"
  if (ascii(bytes, 0, 3) === "\xff\xd8\xff") return "jpeg"
  if (ascii(bytes, 0, 4) === "RIFF" && ascii(bytes, 8, 12) === "WEBP") return "webp"
  return ascii(bytes, 4, 8) === "ftyp" ? "heic" : undefined
}

/** Markers of JPEG (ITU-T T.81, table B.1). */
const SOF = { first: 0xc0, last: 0xcf, others: new Set([0xc4, 0xc8, 0xcc]) } as const
/** Markers without a length: TEM, and those from RST0 to EOI. */
const TEM = 0x01
const UNSIZED = { first: 0xd0, last: 0xd9 } as const
const SCAN = 0xda
export const APP1 = 0xe1

export interface Segment {
  readonly marker: number
  /** The position of the segment's content, which follows its length. */
  readonly at: number
  readonly end: number
}

/** Lists the segments of a JPEG file before its first scan (ITU-T T.81, B.1.1). */
export function* jpegSegments(bytes: Buffer): Generator<Segment> {
  for (let at = 2; at + 4 <= bytes.length;) {
    if (bytes[at] !== 0xff) return
    const marker = bytes[at + 1]!
    // Any number of bytes 0xFF may fill the space before a marker.
    if (marker === 0xff) {
      at += 1
      continue
    }
    // Markers without a length do not occur before the scan. If they do, a decoder would read other segments than this
    // function, so the listing ends.
    if (marker === SCAN || marker === TEM || (marker >= UNSIZED.first && marker <= UNSIZED.last)) return
    const end = at + 2 + bytes.readUInt16BE(at + 2)
    yield { marker, at: at + 4, end }
    at = end
  }
}

const jpegSize = (bytes: Buffer): PictureSize | undefined => {
  for (const { at, marker } of jpegSegments(bytes)) {
    if (marker < SOF.first || marker > SOF.last || SOF.others.has(marker) || at + 5 > bytes.length) continue
    return { height: bytes.readUInt16BE(at + 1), width: bytes.readUInt16BE(at + 3) }
  }
  return undefined
}

/** The first chunk of the file has the size; in a VP8X chunk it is the size of the whole picture (RFC 9649, 2.7). */
const webpSize = (bytes: Buffer): PictureSize | undefined => {
  switch (ascii(bytes, 12, 16)) {
    case "VP8X":
      return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 }
    case "VP8L": {
      const packed = bytes.readUInt32LE(21)
      return { width: (packed & 0x3fff) + 1, height: ((packed >>> 14) & 0x3fff) + 1 }
    }
    case "VP8 ":
      return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff }
    default:
      return undefined
  }
}

/** The length of the longest header that is read here. */
const HEADER_BYTES = 30

/**
 * Returns the size that the header of a picture states; undefined if it states none. For HEIC, the decoder returns the
 * size.
 */
export const pictureSize = (format: Exclude<PictureFormat, "heic">, bytes: Buffer): PictureSize | undefined => {
  if (bytes.length < HEADER_BYTES) return undefined
  if (format === "jpeg") return jpegSize(bytes)
  return format === "png" ? { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) } : webpSize(bytes)
}
