import { Result } from "effect"
import { cleanFilename, extensionOf } from "./cleanFilename.ts"
import type { DocumentType } from "./Document.ts"
import { FileRejected } from "./errors.ts"
import { type Content, sniffContent } from "./sniffContent.ts"

export interface IdentifyFileInput {
  /** As the client named it. */
  readonly filename: string
  readonly bytes: Uint8Array
  /** The types that may be uploaded. */
  readonly accepted: ReadonlyArray<DocumentType>
}

export interface IdentifiedFile {
  /** Cleaned: see `cleanFilename`. */
  readonly filename: string
  readonly type: DocumentType
}

const TYPE_OF_EXTENSION: ReadonlyMap<string, DocumentType> = new Map([
  ["pdf", "pdf"],
  ["docx", "docx"],
  ["html", "html"],
  ["htm", "html"],
  ["md", "md"],
  ["markdown", "md"],
  ["txt", "txt"],
  ["text", "txt"],
  ["csv", "csv"]
])

/**
 * Decides what a file is: the content decides among binary kinds, the extension among kinds of text. Where the two
 * disagree, the file is refused with a sentence that says what to do, so that nobody finds an empty document later.
 * Whether the content can be read is the parser's to find out.
 */
export const identifyFile = (input: IdentifyFileInput): Result.Result<IdentifiedFile, FileRejected> => {
  const filename = cleanFilename(input.filename)
  if (filename === "") return reject("name", "The file has no usable name. Give it one, such as report.pdf.")
  if (input.bytes.byteLength === 0) return reject("empty", `${filename} is empty. Upload a file with content.`)
  const type = TYPE_OF_EXTENSION.get(extensionOf(filename))
  if (type === undefined || !input.accepted.includes(type)) {
    return reject("type", `${filename} is of a type that is not accepted. Accepted are: ${input.accepted.join(", ")}.`)
  }
  const content = sniffContent(input.bytes, type)
  return matches(type, content)
    ? Result.succeed({ filename, type })
    : reject("contradiction", `${filename} is named like ${NOUN[type]} but holds ${advice(type, content)}`)
}

const reject = (problem: FileRejected["problem"], detail: string) => Result.fail(new FileRejected({ problem, detail }))

const isBinary = (type: DocumentType): boolean => type === "pdf" || type === "docx"

const matches = (type: DocumentType, content: Content): boolean =>
  isBinary(type) ? content.kind === type : content.kind === "text"

const NOUN: Readonly<Record<DocumentType, string>> = {
  pdf: "a PDF",
  docx: "a Word document",
  html: "an HTML page",
  md: "a Markdown text",
  txt: "a plain text",
  csv: "a CSV table"
}

const advice = (type: DocumentType, content: Content): string => {
  switch (content.kind) {
    case "pdf":
      return "a PDF. Rename it so that it ends in .pdf."
    case "docx":
      return "a Word document. Rename it so that it ends in .docx."
    case "utf-16":
      return isBinary(type) ? textAdvice(type) : "UTF-16 text. Save it as UTF-8 and upload it again."
    case "text":
      return textAdvice(type)
    case "other":
      return `${content.description}. Save it as ${isBinary(type) ? `a real .${type}` : "plain UTF-8 text"} and upload that.`
  }
}

const textAdvice = (type: DocumentType): string =>
  `plain text. Rename it so that it ends in .txt or .md, or save it as a real .${type}.`
