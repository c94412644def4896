import { DocumentParser, documentType, DocumentUnreadable, FairQueue, Ocr, type ParserKind } from "@parley/core/adapter"
import type { DocumentType, UserId } from "@parley/core"
import { Effect, Layer } from "effect"
import { ATTACHMENT_KINDS } from "./attachmentKinds.ts"
import { convert, type ConvertedType, savedTypeOf, sweepConversions } from "./LibreOffice.ts"
import { DEFAULT_PARSER_LIMITS, type ParserLimits } from "./ParserLimits.ts"
import { parserFences } from "./process/fences.ts"
import type { ParserOutcome } from "./process/ParserMessage.ts"
import { ParserPool } from "./process/ParserPool.ts"
import { readPictureText, readScan, withUnreadPages } from "./readScan.ts"
import { type WorkerNotStarted, WorkerProcess } from "./process/WorkerProcess.ts"

/**
 * The version of each parser. Raise it with every change after which the parser returns another text, other pages or
 * other headings for some document: re-indexing then reads earlier documents again, and `parley doctor` counts them.
 */
const VERSIONS: Readonly<Record<ParserKind, number>> = {
  pdf: 4,
  docx: 3,
  xlsx: 2,
  pptx: 3,
  opendocument: 1,
  epub: 1,
  image: 1,
  rtf: 1,
  mail: 1,
  html: 3,
  csv: 3,
  markdown: 2,
  text: 2
}

/** Returns the version of the parser of a kind, in the form in which it is stored with the texts. */
export const parserVersion = (kind: ParserKind): string => `${kind}/${VERSIONS[kind]}`

interface ParseInput {
  readonly type: DocumentType
  readonly bytes: Uint8Array
  readonly userId: UserId
}

interface ParserInput {
  readonly kind: ParserKind
  readonly bytes: Uint8Array
  readonly picturesOf?: number
}

const noConverter = (type: ConvertedType): string =>
  `Documents of the type .${type} can be read on servers with LibreOffice only, and this one has none. Save it as .${savedTypeOf(type)} and upload that.`

/**
 * Returns the kind of the parser that reads a document, and, if LibreOffice converts the document first, its original
 * type.
 */
const readingOf = (type: DocumentType) => {
  const { parser } = documentType(type)
  if (parser !== null) return { kind: parser, from: undefined }
  const from = type as ConvertedType
  return { kind: documentType(savedTypeOf(from)).parser!, from }
}

/** The options of the parser; each limit overrides its default. */
export interface WorkerParserOptions extends Partial<ParserLimits> {
  /** The path of LibreOffice's program, which converts doc, xls and ppt: `/usr/bin/soffice`. */
  readonly libreOffice?: string | undefined
}

/**
 * Reads documents in worker processes with limits on time, memory, pages and size. If a document breaks its worker, it
 * is unreadable, with a reason, and no other document is affected. People are served in turn. Workers start for the
 * first document, or with `prepare`, and end when the scope closes.
 */
export class WorkerDocumentParser {
  /** If a worker cannot be started at all, reading dies with a defect, because the document is not the reason. */
  static readonly layer = ({ libreOffice, ...limits }: WorkerParserOptions = {}): Layer.Layer<DocumentParser> =>
    Layer.effect(DocumentParser, makeParser({ ...DEFAULT_PARSER_LIMITS, ...limits }, libreOffice))
}

const makeParser = (limits: ParserLimits, libreOffice: string | undefined) =>
  Effect.gen(function* () {
    if (libreOffice !== undefined) yield* sweepConversions
    const ocr = yield* Ocr
    const { idleMilliseconds, maxMemoryBytes, processes } = limits
    // One person's documents never take the last of several places, so that other people find a free one.
    const queue = new FairQueue({ places: processes, perPerson: Math.max(1, processes - 1) })
    const probed = Effect.promise(parserFences)
    const pool = yield* Effect.acquireRelease(
      Effect.sync(() => new ParserPool({ places: processes, idleMilliseconds })),
      (pool) => Effect.sync(() => pool.close())
    )
    const readBy = (take: () => WorkerProcess, input: ParserInput) =>
      Effect.acquireUseRelease(
        Effect.sync(take),
        (parser) => readWith(parser, input, limits),
        (parser) => Effect.sync(() => pool.giveBack(parser))
      )
    // The outcome may be remembered for all people who upload the same document, so a doubtful one is checked by a new
    // process.
    const read = Effect.fnUntraced(function* (input: ParserInput) {
      const { kind } = input
      const fences = yield* probed
      const start = () => new WorkerProcess({ kind, fences, maxMemoryBytes })
      const outcome = yield* readBy(() => pool.take(kind, start), input)
      const isDoubtful = outcome._tag === "Unreadable" && outcome.doubtful === true
      return isDoubtful ? yield* readBy(() => pool.takeNew(start), input) : outcome
    })
    const converted = Effect.fnUntraced(function* (type: ConvertedType, bytes: Uint8Array) {
      if (libreOffice === undefined) return yield* new DocumentUnreadable({ reason: noConverter(type) })
      return yield* convert({ program: libreOffice, fences: yield* probed, limits, type, bytes })
    })
    return DocumentParser.of({
      versionOf: (type) => {
        const { from, kind } = readingOf(type)
        return from === undefined ? parserVersion(kind) : `libreoffice/${parserVersion(kind)}`
      },
      // The spare process loads the PDF parser, which takes longest to load. Most other documents are texts, which
      // every process can read.
      prepare: Effect.map(probed, (fences) =>
        pool.keepSpare(() => new WorkerProcess({ kind: "pdf", fences, maxMemoryBytes }))
      ),
      parse: Effect.fn("WorkerDocumentParser.parse")(function* (input: ParseInput) {
        const { from, kind } = readingOf(input.type)
        const bytes = from === undefined ? input.bytes : yield* queue.run(input.userId, converted(from, input.bytes))
        const inPlace = (part: Pick<ParserInput, "picturesOf"> = {}) =>
          queue.run(input.userId, Effect.orDie(read({ kind, bytes, ...part })))
        const outcome = yield* inPlace()
        const pageOf = (page: number) => Effect.flatMap(inPlace({ picturesOf: page }), picturesIn)
        if (outcome._tag === "Parsed") return yield* withUnreadPages(outcome.document, pageOf, ocr, limits)
        if (ocr !== undefined && outcome._tag === "Unreadable" && outcome.failure === "scan") {
          return yield* kind === "image" ? readPictureText(pageOf(1), ocr) : readScan(pageOf, ocr, limits)
        }
        return yield* unreadable(outcome)
      })
    })
  })

const unreadable = (outcome: ParserOutcome) =>
  outcome._tag === "Unreadable"
    ? new DocumentUnreadable({
        reason: outcome.reason,
        failure: outcome.failure,
        exhausting: outcome.exhausting
      })
    : new DocumentUnreadable({ reason: "The document cannot be read. Save it again and upload the new file." })

const picturesIn = (outcome: ParserOutcome) =>
  outcome._tag === "Pictured" ? Effect.succeed(outcome.pictures) : Effect.fail(unreadable(outcome))

/** If it is interrupted, it ends the worker, because a parser cannot be stopped in another way. */
const readWith = (parser: WorkerProcess, input: ParserInput, limits: ParserLimits) =>
  Effect.callback<ParserOutcome, WorkerNotStarted>((resume) => {
    parser.read({ ...input, limits, attachments: ATTACHMENT_KINDS }, (outcome) =>
      resume(outcome instanceof Error ? Effect.fail(outcome) : Effect.succeed(outcome))
    )
    return Effect.sync(() => parser.kill())
  })
