/** The ways in which the bytes of a type are recognised. */
export type ContentRule =
  /** Any text; the file name determines the kind of text. */
  | { readonly _tag: "Text" }
  /** ASCII characters at the start or, if the file name has this type, anywhere within the first `within` bytes. */
  | { readonly _tag: "Header"; readonly ascii: string; readonly within: number }
  /** At each of these offsets one of the given texts, in ASCII or Latin-1. */
  | { readonly _tag: "Signature"; readonly parts: ReadonlyArray<readonly [at: number, ...anyOf: Array<string>]> }
  /** A zip archive whose first entry contains this media type uncompressed (ODF 1.3 part 2, 3.3; EPUB 3.3, 4.3.3). */
  | { readonly _tag: "NamedZip"; readonly mediaType: string }
  /**
   * A zip archive with an entry below this folder (ECMA-376 part 2), or the compound file around an encrypted archive.
   */
  | { readonly _tag: "OfficeOpenXml"; readonly folder: string }
  /** A compound file (MS-CFB) with a stream of one of these names. */
  | { readonly _tag: "CompoundFile"; readonly streams: ReadonlyArray<string> }

interface DocumentTypeRow {
  /** The name of the type in sentences, with its article. */
  readonly noun: string
  /** The extensions in lower case, without the dot; the usual one first. */
  readonly extensions: readonly [string, ...ReadonlyArray<string>]
  readonly mediaType: string
  readonly content: ContentRule
  /** The parser for the type; null if another program has to convert the file first. */
  readonly parser: string | null
}

const TEXT: ContentRule = { _tag: "Text" }

const namedZip = (mediaType: string) => ({ mediaType, content: { _tag: "NamedZip", mediaType } as ContentRule })

/** Files whose bytes are their text: texts, notes, logs, calendars, data, settings and source code. */
const PLAIN_TEXTS = [
  ...(["txt", "text", "log", "rst", "adoc", "org", "tex", "bib", "srt", "vtt", "ics", "vcf"] as const),
  ...(["json", "jsonl", "ndjson", "xml", "yaml", "yml", "toml", "ini", "cfg", "conf", "properties", "po"] as const),
  ...([
    "sql",
    "sh",
    "bat",
    "ps1",
    "js",
    "mjs",
    "cjs",
    "jsx",
    "ts",
    "tsx",
    "css",
    "py",
    "rb",
    "php",
    "pl",
    "lua"
  ] as const),
  ...(["java", "kt", "scala", "go", "rs", "c", "h", "cc", "cpp", "hpp", "cs", "swift", "r", "diff", "patch"] as const)
] as const

/**
 * The types of documents with everything except their parsing. Upload limits, the recognition of files, the
 * configuration, parsers and the HTTP schemas derive from this table. For a new type, add a row and, if no parser fits,
 * a parser.
 */
export const DOCUMENT_TYPE_TABLE = {
  pdf: {
    noun: "a PDF",
    extensions: ["pdf"],
    mediaType: "application/pdf",
    // Readers accept a header within the first 1,024 bytes (PDF 1.7 reference, implementation note 13 to 3.4.1).
    content: { _tag: "Header", ascii: "%PDF-", within: 1024 },
    parser: "pdf"
  },
  docx: {
    noun: "a Word document",
    extensions: ["docx"],
    mediaType: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    content: { _tag: "OfficeOpenXml", folder: "word/" },
    parser: "docx"
  },
  xlsx: {
    noun: "an Excel workbook",
    extensions: ["xlsx"],
    mediaType: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    content: { _tag: "OfficeOpenXml", folder: "xl/" },
    parser: "xlsx"
  },
  pptx: {
    noun: "a presentation",
    extensions: ["pptx"],
    mediaType: "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    content: { _tag: "OfficeOpenXml", folder: "ppt/" },
    parser: "pptx"
  },
  odt: {
    noun: "an OpenDocument text",
    extensions: ["odt"],
    ...namedZip("application/vnd.oasis.opendocument.text"),
    parser: "opendocument"
  },
  ods: {
    noun: "an OpenDocument spreadsheet",
    extensions: ["ods"],
    ...namedZip("application/vnd.oasis.opendocument.spreadsheet"),
    parser: "opendocument"
  },
  odp: {
    noun: "an OpenDocument presentation",
    extensions: ["odp"],
    ...namedZip("application/vnd.oasis.opendocument.presentation"),
    parser: "opendocument"
  },
  epub: {
    noun: "an e-book",
    extensions: ["epub"],
    ...namedZip("application/epub+zip"),
    parser: "epub"
  },
  rtf: {
    noun: "an RTF document",
    extensions: ["rtf"],
    mediaType: "application/rtf",
    content: { _tag: "Signature", parts: [[0, "{\\rtf"]] },
    parser: "rtf"
  },
  doc: {
    noun: "an old Word document",
    extensions: ["doc"],
    mediaType: "application/msword",
    content: { _tag: "CompoundFile", streams: ["WordDocument"] },
    parser: null
  },
  xls: {
    noun: "an old Excel workbook",
    extensions: ["xls"],
    mediaType: "application/vnd.ms-excel",
    content: { _tag: "CompoundFile", streams: ["Workbook", "Book"] },
    parser: null
  },
  ppt: {
    noun: "an old presentation",
    extensions: ["ppt"],
    mediaType: "application/vnd.ms-powerpoint",
    content: { _tag: "CompoundFile", streams: ["PowerPoint Document"] },
    parser: null
  },
  png: {
    noun: "a PNG image",
    extensions: ["png"],
    mediaType: "image/png",
    content: { _tag: "Signature", parts: [[0, "\x89PNG\r\n\x1a\n"]] },
    parser: "image"
  },
  jpg: {
    noun: "a JPEG image",
    extensions: ["jpg", "jpeg"],
    mediaType: "image/jpeg",
    content: { _tag: "Signature", parts: [[0, "\xff\xd8\xff"]] },
    parser: "image"
  },
  webp: {
    noun: "a WebP image",
    extensions: ["webp"],
    mediaType: "image/webp",
    content: {
      _tag: "Signature",
      parts: [
        [0, "RIFF"],
        [8, "WEBP"]
      ]
    },
    parser: "image"
  },
  heic: {
    noun: "a HEIC image",
    extensions: ["heic", "heif"],
    mediaType: "image/heic",
    // The brands of pictures in HEVC, and of pictures whose codec is named elsewhere in the file (ISO/IEC 23008-12, B.4
    // and 10.2).
    content: {
      _tag: "Signature",
      parts: [[4, "ftypheic", "ftypheix", "ftyphevc", "ftypheim", "ftypheis", "ftypmif1"]]
    },
    parser: "image"
  },
  eml: {
    noun: "an e-mail",
    extensions: ["eml", "mht", "mhtml"],
    mediaType: "message/rfc822",
    content: TEXT,
    parser: "mail"
  },
  html: {
    noun: "an HTML page",
    extensions: ["html", "htm", "xhtml"],
    mediaType: "text/html",
    content: TEXT,
    parser: "html"
  },
  md: {
    noun: "a Markdown text",
    extensions: ["md", "markdown"],
    mediaType: "text/markdown",
    content: TEXT,
    parser: "markdown"
  },
  txt: {
    noun: "a plain text",
    extensions: PLAIN_TEXTS,
    mediaType: "text/plain",
    content: TEXT,
    parser: "text"
  },
  csv: {
    noun: "a CSV table",
    extensions: ["csv", "tsv"],
    mediaType: "text/csv",
    content: TEXT,
    parser: "csv"
  }
} as const satisfies Readonly<Record<string, DocumentTypeRow>>

/** The type of a document's bytes. */
export type DocumentType = keyof typeof DOCUMENT_TYPE_TABLE
/** The kinds of parsers. */
export type ParserKind = NonNullable<(typeof DOCUMENT_TYPE_TABLE)[DocumentType]["parser"]>

export const DOCUMENT_TYPES = Object.keys(DOCUMENT_TYPE_TABLE) as ReadonlyArray<DocumentType>

/** Returns the row of a type. */
export const documentType = (type: DocumentType): DocumentTypeRow & { readonly parser: ParserKind | null } =>
  DOCUMENT_TYPE_TABLE[type]

/** The types that have a parser; they are accepted unless configured otherwise. */
export const PARSED_DOCUMENT_TYPES: ReadonlyArray<DocumentType> = DOCUMENT_TYPES.filter(
  (type) => documentType(type).parser !== null
)

/** The types that can be accepted only if a program is configured that converts them. */
export const CONVERTED_DOCUMENT_TYPES: ReadonlyArray<DocumentType> = DOCUMENT_TYPES.filter(
  (type) => documentType(type).parser === null
)

/** Returns the type of files with this extension, in lower case and without its dot. */
export const typeOfExtension = (extension: string): DocumentType | undefined =>
  DOCUMENT_TYPES.find((type) => documentType(type).extensions.includes(extension))

export const isTextType = (type: DocumentType): boolean => documentType(type).content._tag === "Text"
