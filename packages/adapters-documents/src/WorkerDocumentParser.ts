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
 * The version of each parser. Raise it with every change after which the parser returns another text, pages or headings
 * for some document: re-indexing then reads earlier documents again, and `parley doctor` counts them.
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

/** The version of how documents of a kind are read, as it is kept with their texts. */
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

/** The type of the parser that reads a document, and the type of the document if LibreOffice converts it before. */
const readingOf = (type: DocumentType) => {
  const { parser } = documentType(type)
  if (parser !== null) return { kind: parser, from: undefined }
  const from = type as ConvertedType
  return { kind: documentType(savedTypeOf(from)).parser!, from }
}

/** Limits override the defaults one by one. */
export interface WorkerParserOptions extends Partial<ParserLimits> {
  /** The path of LibreOffice's program, which converts doc, xls and ppt: `/usr/bin/soffice`. */
  readonly libreOffice?: string | undefined
}

/**
 * Reads documents in worker processes with limits on time, memory, pages and size. A document that breaks its worker is
 * unreadable, with a reason, and nothing else notices. People are served round robin. Workers start with the first
 * document, or with `prepare`, and end with the scope.
 */
export class WorkerDocumentParser {
  /** A worker that cannot be started at all is a defect, not a reason. */
  static readonly layer = ({ libreOffice, ...limits }: WorkerParserOptions = {}): Layer.Layer<DocumentParser> =>
    Layer.effect(DocumentParser, makeParser({ ...DEFAULT_PARSER_LIMITS, ...limits }, libreOffice))
}

const makeParser = (limits: ParserLimits, libreOffice: string | undefined) =>
  Effect.gen(function* () {
    if (libreOffice !== undefined) yield* sweepConversions
    const ocr = yield* Ocr
    const { idleMilliseconds, maxMemoryBytes, processes } = limits
    // One person never takes the last place, so that others find a free one.
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
    // The outcome for a document may be remembered for all people: in doubt, a process of its own reads it again.
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
      // Documents of most kinds are texts, which every process reads, or PDFs, whose parser takes the longest to load.
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

/** Interrupted, it ends the worker: there is no other way to stop a parser. */
const readWith = (parser: WorkerProcess, input: ParserInput, limits: ParserLimits) =>
  Effect.callback<ParserOutcome, WorkerNotStarted>((resume) => {
    parser.read({ ...input, limits, attachments: ATTACHMENT_KINDS }, (outcome) =>
      resume(outcome instanceof Error ? Effect.fail(outcome) : Effect.succeed(outcome))
    )
    return Effect.sync(() => parser.kill())
  })
