import { crc32, inflateRawSync } from "node:zlib"
import type { ParserLimits } from "../../ParserLimits.ts"
import { Unreadable } from "../Unreadable.ts"

type ArchiveLimits = Pick<ParserLimits, "maxEntries" | "maxInflatedBytes" | "maxInflationRatio">

/** The inflated size up to which any compression ratio is accepted. */
const RATIO_FREE_BYTES = 8 * 1024 * 1024
/** The end record has 22 bytes and a comment of up to 65,535 (APPNOTE.TXT 4.3.16). */
const END_RECORD = { signature: 0x06054b50, length: 22, maxComment: 0xffff } as const
const CENTRAL_HEADER = { signature: 0x02014b50, length: 46 } as const
const LOCAL_HEADER = { signature: 0x04034b50, length: 30 } as const
const STORED = 0
const DEFLATED = 8
/** The first four bytes of a compound file, which Office wraps around an encrypted document. */
const COMPOUND_FILE = [0xd0, 0xcf, 0x11, 0xe0]

/** Returns the reasons for an unreadable archive; `noun` names the kind of document, such as "Word document". */
export const archiveProblems = (noun: string) => ({
  damaged: () =>
    new Unreadable("damaged", `The ${noun} is damaged and cannot be read. Save it again and upload the new file.`),
  tooLarge: () =>
    new Unreadable(
      "too_long",
      `The ${noun} unpacks to more than is allowed. Remove images or split it, and upload it again.`
    ),
  locked: () =>
    new Unreadable("password", `The ${noun} is protected by a password. Remove the protection and upload it again.`)
})

type Problems = ReturnType<typeof archiveProblems>

interface Entry {
  readonly packed: Uint8Array
  readonly method: number
}

/** A zip archive that was checked: its entries are complete, and unpack to no more than the limit. */
export interface Archive {
  /** Returns the content of an entry; undefined if there is no entry with this name. */
  readonly read: (name: string) => Uint8Array | undefined
}

/**
 * Reads a zip archive and inflates every entry within a limit. Later reads are therefore bounded, independent of the
 * sizes that the archive states. Throws `Unreadable` if the archive is damaged, encrypted or over a limit; `noun` names
 * the kind of document in the reason.
 */
export const readArchive = (bytes: Uint8Array, limits: ArchiveLimits, noun: string): Archive => {
  const problems = archiveProblems(noun)
  if (COMPOUND_FILE.every((byte, index) => bytes[index] === byte)) throw problems.locked()
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const end = findEndRecord(view, problems)
  const count = view.getUint16(end + 10, true)
  if (count > limits.maxEntries) throw problems.tooLarge()
  const entries = new Map<string, Entry>()
  let header = view.getUint32(end + 16, true)
  let inflated = 0
  for (let number = 0; number < count; number++) {
    if (!hasSignature(view, header, CENTRAL_HEADER)) throw problems.damaged()
    const entry = entryAt(bytes, view, header, problems)
    const size = checkedSize(entry, view.getUint32(header + 16, true), limits.maxInflatedBytes - inflated, problems)
    inflated += size
    if (inflated > RATIO_FREE_BYTES && inflated / bytes.byteLength > limits.maxInflationRatio) throw problems.tooLarge()
    const [name, extra, comment] = [28, 30, 32].map((field) => view.getUint16(header + field, true))
    const nameAt = header + CENTRAL_HEADER.length
    entries.set(new TextDecoder().decode(bytes.subarray(nameAt, nameAt + name!)), entry)
    header += CENTRAL_HEADER.length + name! + extra! + comment!
  }
  return {
    read: (name) => {
      const entry = entries.get(name)
      return entry === undefined ? undefined : contentOf(entry, limits.maxInflatedBytes, problems)
    }
  }
}

const findEndRecord = (view: DataView, problems: Problems): number => {
  const earliest = Math.max(0, view.byteLength - END_RECORD.length - END_RECORD.maxComment)
  for (let at = view.byteLength - END_RECORD.length; at >= earliest; at--) {
    if (hasSignature(view, at, END_RECORD)) return at
  }
  throw problems.damaged()
}

const hasSignature = (view: DataView, at: number, record: { signature: number; length: number }): boolean =>
  at + record.length <= view.byteLength && view.getUint32(at, true) === record.signature

const entryAt = (bytes: Uint8Array, view: DataView, header: number, problems: Problems): Entry => {
  if ((view.getUint16(header + 8, true) & 1) === 1) throw problems.locked()
  const method = view.getUint16(header + 10, true)
  const packedSize = view.getUint32(header + 20, true)
  const local = view.getUint32(header + 42, true)
  if (!hasSignature(view, local, LOCAL_HEADER)) throw problems.damaged()
  const start = local + LOCAL_HEADER.length + view.getUint16(local + 26, true) + view.getUint16(local + 28, true)
  const packed = bytes.subarray(start, start + packedSize)
  if (packed.byteLength < packedSize || (method !== STORED && method !== DEFLATED)) throw problems.damaged()
  return { packed, method }
}

const checkedSize = (entry: Entry, sum: number, budget: number, problems: Problems): number => {
  const content = contentOf(entry, budget, problems)
  if (crc32(content) !== sum) throw problems.damaged()
  return content.byteLength
}

const contentOf = ({ method, packed }: Entry, budget: number, problems: Problems): Uint8Array => {
  if (method === STORED) {
    if (packed.byteLength > budget) throw problems.tooLarge()
    return packed
  }
  try {
    return inflateRawSync(packed, { maxOutputLength: Math.max(1, budget) })
  } catch (cause) {
    const tooLarge = cause instanceof Error && "code" in cause && cause.code === "ERR_BUFFER_TOO_LARGE"
    throw tooLarge ? problems.tooLarge() : problems.damaged()
  }
}
