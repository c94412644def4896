import { Result } from "effect"
import { cleanFilename, extensionOf } from "./cleanFilename.ts"
import { type DocumentType, documentType, isTextType, typeOfExtension } from "../documentTypes.ts"
import { FileRejected } from "../errors.ts"
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

/**
 * Decides what a file is: the content decides among binary kinds, the extension among kinds of text. Where the two
 * disagree, the file is refused with a sentence that says what to do, so that no document turns out empty later.
 * Whether the content can be read is the parser's to find out.
 */
export const identifyFile = (input: IdentifyFileInput): Result.Result<IdentifiedFile, FileRejected> => {
  const filename = cleanFilename(input.filename)
  if (filename === "") return reject("name", "The file has no usable name. Give it one, such as report.pdf.")
  if (input.bytes.byteLength === 0) return reject("empty", `${filename} is empty. Upload a file with content.`)
  const type = typeOfExtension(extensionOf(filename))
  if (type === undefined || !input.accepted.includes(type)) {
    return reject(
      "type",
      `${filename} is of a type that is not accepted. Accepted are ${acceptedTypes(input.accepted)}.`
    )
  }
  const content = sniffContent(input.bytes, type)
  return matches(type, content)
    ? Result.succeed({ filename, type })
    : reject("contradiction", `${filename} is named like ${documentType(type).noun} but holds ${advice(type, content)}`)
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
