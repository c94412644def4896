import { crc32, deflateSync } from "node:zlib"

export interface Pixels {
  readonly width: number
  readonly height: number
  /** The pixels row by row; each row begins with a new byte. */
  readonly data: Uint8Array | Uint8ClampedArray
  readonly bits: 1 | 8
  /** One channel is grey; three are red, green and blue; the fourth is the opacity. */
  readonly channels: 1 | 3 | 4
}

const SIGNATURE = Buffer.from("\x89PNG\r\n\x1a\n", "latin1")
const COLOUR_TYPE = { 1: 0, 3: 2, 4: 6 } as const

const chunk = (type: string, content: Uint8Array): Buffer => {
  const body = Buffer.concat([Buffer.from(type, "latin1"), content])
  const frame = Buffer.alloc(8)
  frame.writeUInt32BE(content.byteLength, 0)
  frame.writeUInt32BE(crc32(body), 4)
  return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)])
}

/** Writes a PNG file (ISO/IEC 15948), its rows without filters. */
export const encodePng = ({ bits, channels, data, height, width }: Pixels): Uint8Array => {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.writeUInt8(bits, 8)
  header.writeUInt8(COLOUR_TYPE[channels], 9)
  const rowBytes = Math.ceil((width * channels * bits) / 8)
  const rows = Buffer.alloc((rowBytes + 1) * height)
  for (let row = 0; row < height; row++) {
    rows.set(data.subarray(row * rowBytes, (row + 1) * rowBytes), row * (rowBytes + 1) + 1)
  }
  return new Uint8Array(
    Buffer.concat([SIGNATURE, chunk("IHDR", header), chunk("IDAT", deflateSync(rows)), chunk("IEND", Buffer.alloc(0))])
  )
}
