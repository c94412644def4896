import { CONVERTED_DOCUMENT_TYPES, type FileRejected, PARSED_DOCUMENT_TYPES } from "@parley/core/adapter"
import { MAX_VISITOR_FILE_BYTES, UploadLimits, VisitorFile } from "@parley/core/effect"
import { documentType, fileTooLarge, IMAGE_TYPES, issuesOf, MAX_IMAGE_BYTES } from "@parley/core/adapter"
import busboy from "busboy"
import { Effect, Schema } from "effect"
import type { Context, Request } from "../exchange/Exchange.ts"
import { InvalidRequest, InvalidUpload } from "../problems/errors.ts"
import type { RouteBody } from "./RouteBody.ts"
import {
  type Arrival,
  type ArrivalListener,
  type ArrivalRefused,
  collectBytes,
  type CollectedBytes,
  watchArrival
} from "./receiveBody.ts"

/** An uploaded file. The client chose its name, which is not to be trusted. */
export interface SentFile {
  readonly filename: string
  readonly bytes: Uint8Array
}

/** Besides the one file, a form may have a few small fields. */
const FORM_LIMITS = { files: 1, fields: 16, parts: 20, fieldSize: 64 * 1024, fieldNameSize: 128, headerPairs: 32 }

const REFUSALS = ["invalid_upload", "file_rejected", "request_too_slow", "server_busy", "body_already_read"] as const

const ONE_FILE = 'Send multipart/form-data with exactly one file, in the field "file".'

/** The types that may be uploaded, as `pdf (application/pdf)`. */
const TYPES = PARSED_DOCUMENT_TYPES.map((type) => `${type} (${documentType(type).mediaType})`)

const FILE = Schema.String.annotate({ format: "binary", description: "The file, with its name." })
const FORM_SCHEMA = Schema.Struct({ file: FILE })
const ALL_TYPES = `Types, unless fewer are configured: ${TYPES.join(", ")}. With LibreOffice also ${CONVERTED_DOCUMENT_TYPES.join(", ")}.`

/** A file and the text fields of the same form; of several fields with one name, the first counts. */
interface SentForm extends SentFile {
  readonly fields: Readonly<Record<string, string>>
}

/** Reads a form with one file of at most `maxBytes` bytes. */
const readForm = Effect.fnUntraced(function* ({ request, server }: Context, person: string, maxBytes: number) {
  const parser = yield* makeParser(request, maxBytes)
  const { pace, uploads } = server.bodies
  let arrival: Arrival | undefined
  yield* Effect.addFinalizer(() => Effect.sync(() => arrival?.release()))
  return yield* readFile(request, parser, maxBytes, (listener) => {
    arrival = watchArrival(request, { memory: uploads, pace, person }, listener)
    return arrival
  })
})

const readOne = (context: Context, person: string, maxBytes: number) =>
  Effect.map(readForm(context, person, maxBytes), ({ bytes, filename }): SentFile => ({ bytes, filename }))

/** Like `fileBody`, for an image. */
export const imageBody: RouteBody<SentFile, (typeof REFUSALS)[number]> = {
  contentType: "multipart/form-data",
  description: `A form with one field, the image: ${IMAGE_TYPES.join(", ")}, at most ${MAX_IMAGE_BYTES} bytes.`,
  schema: FORM_SCHEMA,
  errors: REFUSALS,
  read: (context, person) => readOne(context, person, MAX_IMAGE_BYTES)
}

/**
 * A form with one field `file`, kept in memory up to the upload limit; other fields are ignored. Reading fails at the
 * first byte over the limit, at a second file, and if the form is broken or ends early; then no part of it is kept.
 * Concurrent uploads may wait for memory; the file counts as memory until the response.
 */
export const fileBody: RouteBody<SentFile, (typeof REFUSALS)[number]> = {
  contentType: "multipart/form-data",
  description: `A form with one field, the file. ${ALL_TYPES}`,
  schema: FORM_SCHEMA,
  errors: REFUSALS,
  read: (context, person) => Effect.flatMap(UploadLimits, ({ maxBytes }) => readOne(context, person, maxBytes))
}

/** Like `fileBody`, with the visitor and the conversation in fields before or after the file. */
export const visitorFileBody: RouteBody<SentFile & VisitorFile, (typeof REFUSALS)[number] | "invalid_request"> = {
  contentType: "multipart/form-data",
  description: `A form with the file and the visitor. ${ALL_TYPES}`,
  schema: Schema.Struct({ ...VisitorFile.fields, file: FILE }),
  errors: [...REFUSALS, "invalid_request"],
  read: Effect.fnUntraced(function* (context, person) {
    const limits = yield* UploadLimits
    const form = yield* readForm(context, person, Math.min(limits.maxBytes, MAX_VISITOR_FILE_BYTES))
    const visitor = yield* Effect.mapError(
      decodeVisitor(form.fields),
      (error) => new InvalidRequest({ issues: issuesOf(error) })
    )
    return { ...visitor, bytes: form.bytes, filename: form.filename }
  })
}

const decodeVisitor = Schema.decodeUnknownEffect(VisitorFile, { errors: "all" })

const invalid = (problem: string) => new InvalidUpload({ detail: `${problem} ${ONE_FILE}` })

const makeParser = (request: Request, maxBytes: number): Effect.Effect<busboy.Busboy, InvalidUpload> =>
  Effect.try({
    try: () => {
      if (!/^multipart\/form-data\s*;/i.test(request.headers["content-type"] ?? "")) throw new TypeError("content-type")
      // One byte above the limit, so that the parser does not report a file of exactly the limit as too large.
      const limits = { ...FORM_LIMITS, fileSize: maxBytes + 1 }
      return busboy({ headers: request.headers, limits, defParamCharset: "utf8" })
    },
    catch: () => invalid("The body is not a form with a boundary.")
  })

const readFile = (
  request: Request,
  parser: busboy.Busboy,
  maxBytes: number,
  watch: (listener: ArrivalListener) => Arrival
) =>
  Effect.callback<SentForm, InvalidUpload | FileRejected | ArrivalRefused>((resume) => {
    let sent: { readonly filename: string; readonly content: CollectedBytes } | undefined
    let problem: string | undefined
    const refuse = (error: InvalidUpload | FileRejected | ArrivalRefused) => {
      arrival.release()
      resume(Effect.fail(error))
    }
    parser.on("file", (field, stream, { filename }) => {
      // For a broken form the parser destroys this stream with an error that it also reports itself.
      stream.on("error", () => undefined)
      if (field !== "file") return refuse(invalid("The form has a file in another field."))
      const file = { filename: filename ?? "", content: collectBytes() }
      sent = file
      stream.on("data", (chunk: Buffer) => file.content.add(chunk))
      stream.on("limit", () => refuse(fileTooLarge(maxBytes)))
    })
    const fields = new Map<string, string>()
    parser.on("field", (field, text) => {
      if (field === "file") problem = 'The field "file" holds a text without a file name.'
      else if (!fields.has(field)) fields.set(field, text)
    })
    parser.on("filesLimit", () => refuse(invalid("The form has more than one file.")))
    parser.on("fieldsLimit", () => refuse(invalid("The form has too many fields.")))
    parser.on("partsLimit", () => refuse(invalid("The form has too many parts.")))
    parser.on("error", () => refuse(invalid("The form is broken or incomplete.")))
    parser.on("close", () => {
      if (sent === undefined) return refuse(invalid(problem ?? "The form has no file."))
      resume(
        Effect.succeed({
          filename: sent.filename,
          bytes: sent.content.bytes(),
          fields: Object.fromEntries(fields)
        })
      )
    })
    const arrival = watch({
      onChunk: (chunk) => void parser.write(chunk),
      onEnd: () => void parser.end(),
      onRefused: refuse
    })
    return Effect.sync(() => arrival.release())
  }).pipe(Effect.onExit(() => Effect.sync(() => destroyLater(parser))))

/** Destroys the parser later, because it may be processing the bytes that caused this call. */
const destroyLater = (parser: busboy.Busboy): void => void setImmediate(() => parser.destroy())
