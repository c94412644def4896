import { inflateRawSync } from "node:zlib"
import type { ParserLimits } from "../ParserLimits.ts"
import { Unreadable } from "./Unreadable.ts"

type ArchiveLimits = Pick<ParserLimits, "maxEntries" | "maxInflatedBytes" | "maxInflationRatio">

/** Below this size no ratio is suspicious. */
const RATIO_FREE_BYTES = 8 * 1024 * 1024
/** The end record has 22 bytes and a comment of up to 65,535 (APPNOTE.TXT 4.3.16). */
const END_RECORD = { signature: 0x06054b50, length: 22, maxComment: 0xffff } as const
const CENTRAL_HEADER = { signature: 0x02014b50, length: 46 } as const
const LOCAL_HEADER = { signature: 0x04034b50, length: 30 } as const
const STORED = 0
const DEFLATED = 8

export const DAMAGED = "The Word document is damaged and cannot be read. Save it again and upload the new file."
const TOO_LARGE = "The Word document unpacks to more than is allowed. Remove images or split it, and upload it again."
const PROTECTED = "The Word document is protected by a password. Remove the protection and upload it again."

/**
 * Walks a zip archive and inflates every entry within a budget, so that what a later reader inflates is known to be
 * bounded, whatever sizes the archive claims. Throws `Unreadable` where it is damaged, encrypted or over a limit.
 */
export const checkArchive = (bytes: Uint8Array, limits: ArchiveLimits): void => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const end = findEndRecord(view)
  const entries = view.getUint16(end + 10, true)
  if (entries > limits.maxEntries) throw new Unreadable(TOO_LARGE)
  let header = view.getUint32(end + 16, true)
  let inflated = 0
  for (let entry = 0; entry < entries; entry++) {
    if (!hasSignature(view, header, CENTRAL_HEADER)) throw new Unreadable(DAMAGED)
    inflated += inflatedSize(bytes, view, header, limits.maxInflatedBytes - inflated)
    if (inflated > RATIO_FREE_BYTES && inflated / bytes.byteLength > limits.maxInflationRatio) {
      throw new Unreadable(TOO_LARGE)
    }
    const [name, extra, comment] = [28, 30, 32].map((field) => view.getUint16(header + field, true))
    header += CENTRAL_HEADER.length + name! + extra! + comment!
  }
}

const findEndRecord = (view: DataView): number => {
  const earliest = Math.max(0, view.byteLength - END_RECORD.length - END_RECORD.maxComment)
  for (let at = view.byteLength - END_RECORD.length; at >= earliest; at--) {
    if (hasSignature(view, at, END_RECORD)) return at
  }
  throw new Unreadable(DAMAGED)
}

const hasSignature = (view: DataView, at: number, record: { signature: number; length: number }): boolean =>
  at + record.length <= view.byteLength && view.getUint32(at, true) === record.signature

const inflatedSize = (bytes: Uint8Array, view: DataView, header: number, budget: number): number => {
  if ((view.getUint16(header + 8, true) & 1) === 1) throw new Unreadable(PROTECTED)
  const method = view.getUint16(header + 10, true)
  const packedSize = view.getUint32(header + 20, true)
  const local = view.getUint32(header + 42, true)
  if (!hasSignature(view, local, LOCAL_HEADER)) throw new Unreadable(DAMAGED)
  const start = local + LOCAL_HEADER.length + view.getUint16(local + 26, true) + view.getUint16(local + 28, true)
  const packed = bytes.subarray(start, start + packedSize)
  if (packed.byteLength < packedSize || (method !== STORED && method !== DEFLATED)) throw new Unreadable(DAMAGED)
  const size = method === STORED ? packedSize : deflatedSize(packed, budget)
  if (size > budget) throw new Unreadable(TOO_LARGE)
  return size
}

const deflatedSize = (packed: Uint8Array, budget: number): number => {
  try {
    return inflateRawSync(packed, { maxOutputLength: Math.max(1, budget) }).byteLength
  } catch (cause) {
    const tooLarge = cause instanceof Error && "code" in cause && cause.code === "ERR_BUFFER_TOO_LARGE"
    throw new Unreadable(tooLarge ? TOO_LARGE : DAMAGED)
  }
}
