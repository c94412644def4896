/** What bytes are, judged by themselves. `other` names what was recognised, for a sentence: "a PNG image". */
export type Content =
  | { readonly kind: "pdf" | "docx" | "text" | "utf-16" }
  | { readonly kind: "other"; readonly description: string }

/** How much of a text is looked at. */
const SAMPLE_BYTES = 8192
/** Readers accept a PDF header within the first 1,024 bytes (PDF 1.7 reference, implementation note 13 to 3.4.1). */
const PDF_HEADER_WITHIN = 1024

const SIGNATURES: ReadonlyArray<readonly [signature: string, description: string]> = [
  ["\x89PNG", "a PNG image"],
  ["\xff\xd8\xff", "a JPEG image"],
  ["GIF8", "a GIF image"],
  ["\x1f\x8b", "a gzip archive"],
  ["7z\xbc\xaf", "a 7z archive"],
  ["Rar!\x1a", "a RAR archive"],
  ["{\\rtf", "an RTF document"]
]
const PDF = "%PDF-"
const ZIP = "PK\x03\x04"
const COMPOUND_FILE = "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"

/**
 * Tells what bytes are; a file named .pdf may have something before its header. A docx is a zip with an entry below
 * `word/`, whole or truncated, or the compound file that Word wraps around an encrypted one (ECMA-376 part 2 and
 * MS-OFFCRYPTO 1.3.3). Linear in the size of the file.
 */
export const sniffContent = (bytes: Uint8Array, named: string): Content => {
  if (startsWith(bytes, 0, PDF) || (named === "pdf" && hasPdfHeader(bytes))) return { kind: "pdf" }
  if (startsWith(bytes, 0, ZIP)) {
    return hasWordEntry(bytes) ? { kind: "docx" } : other("a zip archive that is no Word document")
  }
  if (startsWith(bytes, 0, COMPOUND_FILE)) {
    return indexOf(bytes, wide("EncryptedPackage")) >= 0 ? { kind: "docx" } : other("an old Office file (.doc, .xls)")
  }
  const known = SIGNATURES.find(([signature]) => startsWith(bytes, 0, signature))
  return known === undefined ? sniffText(bytes.subarray(0, SAMPLE_BYTES)) : other(known[1])
}

const other = (description: string): Content => ({ kind: "other", description })

const hasPdfHeader = (bytes: Uint8Array): boolean => indexOf(bytes.subarray(0, PDF_HEADER_WITHIN), PDF) >= 0

/** Looks for a local or central zip header whose entry is below `word/`; its name follows 30 or 46 bytes after the start. */
const hasWordEntry = (bytes: Uint8Array): boolean => {
  for (let at = bytes.indexOf(0x50); at >= 0; at = bytes.indexOf(0x50, at + 1)) {
    if (startsWith(bytes, at, ZIP) && startsWith(bytes, at + 30, "word/")) return true
    if (startsWith(bytes, at, "PK\x01\x02") && startsWith(bytes, at + 46, "word/")) return true
  }
  return false
}

const sniffText = (sample: Uint8Array): Content => {
  if (startsWith(sample, 0, "\xff\xfe") || startsWith(sample, 0, "\xfe\xff")) return { kind: "utf-16" }
  const nulls = [0, 0] as [number, number]
  let controls = 0
  sample.forEach((byte, index) => {
    if (byte === 0) nulls[(index % 2) as 0 | 1] += 1
    else if (byte < 0x20 && !(byte >= 0x08 && byte <= 0x0d) && byte !== 0x1b) controls += 1
  })
  const half = sample.length / 2
  // In UTF-16 the Latin letters leave one byte of each pair zero, always the same one.
  if (Math.max(...nulls) > half * 0.4 && Math.min(...nulls) < half * 0.1) return { kind: "utf-16" }
  if (nulls[0] + nulls[1] > 0 || controls > sample.length * 0.1) return other("binary data")
  return { kind: "text" }
}

const startsWith = (bytes: Uint8Array, at: number, ascii: string): boolean => {
  for (let index = 0; index < ascii.length; index++) {
    if (bytes[at + index] !== ascii.charCodeAt(index)) return false
  }
  return true
}

const indexOf = (bytes: Uint8Array, ascii: string): number => {
  const first = ascii.charCodeAt(0)
  for (let at = bytes.indexOf(first); at >= 0; at = bytes.indexOf(first, at + 1)) {
    if (startsWith(bytes, at, ascii)) return at
  }
  return -1
}

/** UTF-16LE, as names in compound files are written. */
const wide = (ascii: string): string => `${Array.from(ascii).join("\0")}\0`
