import { Result } from "effect"
import {
  type ContentRule,
  DOCUMENT_TYPES,
  type DocumentType,
  documentType,
  isTextType,
  typeOfExtension
} from "../documentTypes.ts"
import { FileRejected } from "../errors.ts"

export interface IdentifyFileInput {
  /** The file name from the client. */
  readonly filename: string
  readonly bytes: Uint8Array
  /** The types that may be uploaded. */
  readonly accepted: ReadonlyArray<DocumentType>
}

export interface IdentifiedFile {
  /** The cleaned name: see `cleanFilename`. */
  readonly filename: string
  readonly type: DocumentType
}

/**
 * Determines the type of a file: the content decides between binary types, the extension between types of text. If the
 * two contradict each other, the file is refused with a sentence that tells the person what to do, so that no document
 * turns out empty later. Whether the content is readable is found out later by the parser.
 */
export const identifyFile = (input: IdentifyFileInput): Result.Result<IdentifiedFile, FileRejected> => {
  const filename = cleanFilename(input.filename)
  if (filename === "") return reject("name", "The file has no usable name. Give it one, such as report.pdf.")
  if (input.bytes.byteLength === 0) return reject("empty", `${filename} is empty. Upload a file with content.`)
  const type = typeOfExtension(extensionOf(filename))
  if (type === undefined || !input.accepted.includes(type)) return refuseType(filename, input.accepted)
  const content = sniffContent(input.bytes, type)
  return matches(type, content)
    ? Result.succeed({ filename, type })
    : reject("contradiction", `${filename} is named like ${documentType(type).noun} but holds ${advice(type, content)}`)
}

/** Formats that are not read, with the types as which their programs can save the same content. */
const SAVED_AS: ReadonlyMap<string, ReadonlyArray<DocumentType>> = new Map<string, ReadonlyArray<DocumentType>>([
  ["doc", ["docx", "pdf"]],
  ["pages", ["docx", "pdf"]],
  ["xls", ["xlsx", "csv"]],
  ["numbers", ["xlsx", "csv"]],
  ["ppt", ["pptx", "pdf"]],
  ["key", ["pptx", "pdf"]],
  ["msg", ["eml", "pdf"]],
  ["mobi", ["epub", "pdf"]]
])

const refuseType = (filename: string, accepted: ReadonlyArray<DocumentType>) => {
  const saved = SAVED_AS.get(extensionOf(filename))?.find((type) => accepted.includes(type))
  const advice = saved === undefined ? "" : ` Save it as .${saved} and upload that.`
  return reject(
    "type",
    `${filename} is of a type that is not accepted.${advice} Accepted are ${acceptedTypes(accepted)}.`
  )
}

const acceptedTypes = (types: ReadonlyArray<DocumentType>): string =>
  new Intl.ListFormat("en").format(types.map((type) => `.${documentType(type).extensions[0]}`))

const reject = (problem: FileRejected["problem"], detail: string) => Result.fail(new FileRejected({ problem, detail }))

const matches = (type: DocumentType, content: Content): boolean =>
  isTextType(type) ? content.kind === "text" : content.kind === "binary" && content.type === type

const advice = (type: DocumentType, content: Content): string => {
  switch (content.kind) {
    case "binary":
      return `${documentType(content.type).noun}. Rename it so that it ends in .${documentType(content.type).extensions[0]}.`
    case "text":
      return textAdvice(type)
    case "other":
      return `${content.description}. Save it as ${isTextType(type) ? "plain text" : `a real .${type}`} and upload that.`
  }
}

const textAdvice = (type: DocumentType): string =>
  `plain text. Rename it so that it ends in .txt or .md, or save it as a real .${type}.`

/** The maximum length of a stored name, in UTF-16 units. */
export const MAX_FILENAME_LENGTH = 255

/**
 * Matches control characters (C0, DEL, C1), line separators, and marks that reorder or hide characters of a name on the
 * screen.
 */
const UNREADABLE =
  /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u061c\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff]/gu

/**
 * Returns a file name as it is stored and shown: the last part of a path, composed (NFC), without control characters,
 * bidirectional overrides, zero-width marks or unpaired surrogates, and shortened before its extension to 255 UTF-16
 * units. Letters of every script stay unchanged. Empty if no character is left, as for `..` or `/`.
 */
export const cleanFilename = (name: string): string => {
  const last = name.slice(Math.max(name.lastIndexOf("/"), name.lastIndexOf("\\")) + 1)
  const readable = last.replace(UNREADABLE, "").normalize("NFC").trim()
  return /^\.*$/.test(readable) ? "" : shorten(readable)
}

/** Returns the extension in lower case without its dot; empty if the name has none. */
export const extensionOf = (filename: string): string => {
  const dot = filename.lastIndexOf(".")
  return dot < 0 ? "" : filename.slice(dot + 1).toLowerCase()
}

const shorten = (name: string): string => {
  if (name.length <= MAX_FILENAME_LENGTH) return name
  const dot = name.lastIndexOf(".")
  const ending = dot > 0 && name.length - dot <= 16 ? name.slice(dot) : ""
  return beforeHalfCharacter(name.slice(0, MAX_FILENAME_LENGTH - ending.length)) + ending
}

const beforeHalfCharacter = (text: string): string => (text.isWellFormed() ? text : text.slice(0, -1))

/** The kind of the content. `other` contains the recognised kind for a sentence: "a PNG image". */
export type Content =
  | { readonly kind: "binary"; readonly type: DocumentType }
  | { readonly kind: "text" }
  | { readonly kind: "other"; readonly description: string }

/** The number of bytes of a text that are examined. */
const SAMPLE_BYTES = 8192

const SIGNATURES: ReadonlyArray<readonly [signature: string, description: string]> = [
  ["GIF8", "a GIF image"],
  ["\x1f\x8b", "a gzip archive"],
  ["7z\xbc\xaf", "a 7z archive"],
  ["Rar!\x1a", "a RAR archive"]
]
const ZIP = "PK\x03\x04"
/** The name of the first entry of a zip archive begins at this offset, and its content follows directly. */
const MIMETYPE_AT = 30
const COMPOUND_FILE = "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"

const BINARY_TYPES = DOCUMENT_TYPES.filter((type) => !isTextType(type))
const OFFICE_NOUNS = BINARY_TYPES.filter((type) => documentType(type).content._tag === "OfficeOpenXml")
  .map((type) => documentType(type).noun.replace(/^an? /, ""))
  .join(" or ")

/**
 * Recognises the kind of bytes by the rules in `documentTypes.ts`; `named` is the type of the file name, which decides
 * if several kinds fit. A zip archive of Office is recognised even if it is truncated, and so is the compound file in
 * which Office stores an encrypted archive (MS-OFFCRYPTO 1.3.3). Linear in the size of the file.
 */
export const sniffContent = (bytes: Uint8Array, named: DocumentType): Content => {
  const isNamedFirst = [...BINARY_TYPES].sort((one, other) => Number(other === named) - Number(one === named))
  const type = isNamedFirst.find((type) => isOfType(bytes, documentType(type).content, type === named))
  if (type !== undefined) return { kind: "binary", type }
  if (startsWith(bytes, 0, ZIP)) return other(`a zip archive that is no ${OFFICE_NOUNS}`)
  if (startsWith(bytes, 0, COMPOUND_FILE)) return other("an old Office file (.doc, .xls)")
  const known = SIGNATURES.find(([signature]) => startsWith(bytes, 0, signature))
  return known === undefined ? sniffText(bytes.subarray(0, SAMPLE_BYTES)) : other(known[1])
}

const other = (description: string): Content => ({ kind: "other", description })

const isOfType = (bytes: Uint8Array, rule: ContentRule, isNamed: boolean): boolean => {
  switch (rule._tag) {
    case "Text":
      return false
    case "Header":
      return startsWith(bytes, 0, rule.ascii) || (isNamed && indexOf(bytes.subarray(0, rule.within), rule.ascii) >= 0)
    case "Signature":
      return rule.parts.every(([at, ...anyOf]) => anyOf.some((signature) => startsWith(bytes, at, signature)))
    case "NamedZip":
      return startsWith(bytes, 0, ZIP) && startsWith(bytes, MIMETYPE_AT, `mimetype${rule.mediaType}PK`)
    case "OfficeOpenXml":
      return startsWith(bytes, 0, ZIP) ? hasEntryBelow(bytes, rule.folder) : hasStream(bytes, ["EncryptedPackage"])
    case "CompoundFile":
      return hasStream(
        bytes,
        rule.streams.map((name) => `${name}\0`)
      )
  }
}

/**
 * Returns true if a local or central zip header has an entry below `folder`; the name follows 30 or 46 bytes after the
 * start of the header.
 */
const hasEntryBelow = (bytes: Uint8Array, folder: string): boolean => {
  for (let at = bytes.indexOf(0x50); at >= 0; at = bytes.indexOf(0x50, at + 1)) {
    if (startsWith(bytes, at, ZIP) && startsWith(bytes, at + 30, folder)) return true
    if (startsWith(bytes, at, "PK\x01\x02") && startsWith(bytes, at + 46, folder)) return true
  }
  return false
}

const sniffText = (sample: Uint8Array): Content => {
  if (startsWith(sample, 0, "\xff\xfe") || startsWith(sample, 0, "\xfe\xff")) return { kind: "text" }
  const nulls = [0, 0] as [number, number]
  let controls = 0
  sample.forEach((byte, index) => {
    if (byte === 0) nulls[(index % 2) as 0 | 1] += 1
    else if (byte < 0x20 && !(byte >= 0x08 && byte <= 0x0d) && byte !== 0x1b) controls += 1
  })
  const half = sample.length / 2
  // In UTF-16, every pair of bytes for a Latin letter contains a zero, always in the same byte of the pair.
  if (Math.max(...nulls) > half * 0.4 && Math.min(...nulls) < half * 0.1) return { kind: "text" }
  if (nulls[0] + nulls[1] > 0 || controls > sample.length * 0.1) return other("binary data")
  return { kind: "text" }
}

const hasStream = (bytes: Uint8Array, names: ReadonlyArray<string>): boolean =>
  startsWith(bytes, 0, COMPOUND_FILE) && names.some((name) => indexOf(bytes, wide(name)) >= 0)

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

/** Returns text in UTF-16LE, which is the encoding of names in compound files. */
const wide = (ascii: string): string => `${Array.from(ascii).join("\0")}\0`
