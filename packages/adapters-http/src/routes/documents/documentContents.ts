import { DocumentService, MAX_EXCERPT } from "@parley/core/effect"
import { DOCUMENT_TYPES, documentType } from "@parley/core/adapter"
import { Effect, Schema } from "effect"
import { sessionAccess } from "../../access/personAccess.ts"
import { streamed, json } from "../../exchange/Exchange.ts"
import { integerParameter, optionalIntegerParameter, textParameter, uuidParameter } from "../parameters.ts"
import { choice, named, orNull, text, uuid, whole } from "../fields.ts"
import { defineRoute } from "../Route.ts"

const pathParameters = { id: uuidParameter("The document's id.") }

/** The largest offset that Postgres stores. */
const MAX_OFFSET = 2_147_483_000

const PageBody = named("PageRange", "The place of a page in a document's text.", {
  page: whole("The number of the page, from 1."),
  start: whole("Beginning of the page, in UTF-16 units."),
  end: whole("End of the page, in UTF-16 units.")
})

const ExcerptBody = named("DocumentText", "A part of a document's text.", {
  documentId: uuid("The document's id."),
  filename: text("The name of the uploaded file."),
  type: choice(DOCUMENT_TYPES, "The type of the document."),
  from: whole("Beginning of the part, in UTF-16 units."),
  to: whole("End of the part, in UTF-16 units."),
  length: whole("Length of the whole text, in UTF-16 units."),
  text: text("The part."),
  pages: orNull(Schema.Array(PageBody), "The pages of the part; null if the document has none.")
})

/** A part of a document's text. */
export const getDocumentText = defineRoute({
  method: "GET",
  path: "/api/documents/{id}/text",
  summary: "Returns a part of a document's text, by the offsets of cited passages",
  access: sessionAccess,
  largeWork: "read",
  pathParameters,
  queryParameters: {
    from: integerParameter({
      description: "Beginning of the part, in UTF-16 units.",
      minimum: 0,
      maximum: MAX_OFFSET,
      default: 0
    }),
    to: optionalIntegerParameter({
      description: `End of the part. The response has at most ${MAX_EXCERPT} units, also without this parameter.`,
      minimum: 0,
      maximum: MAX_OFFSET
    })
  },
  responses: {
    200: {
      description: "The part. Its ends may be one unit beside the requested ones, so that no character is split.",
      schema: ExcerptBody
    }
  },
  errors: ["document_not_found", "document_not_indexed", "storage_unavailable"],
  handle: Effect.fnUntraced(function* ({ caller, path, query }) {
    const service = yield* DocumentService
    const { document, ...excerpt } = yield* service.excerpt(caller.userId, path.id, query)
    const { filename, id: documentId, type } = document
    const body: typeof ExcerptBody.Type = { documentId, filename, type, ...excerpt }
    return json(200, body)
  })
})

/** The policy of a document's file: if a browser shows the file, it runs no code and loads nothing. */
const SANDBOX = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox"

/**
 * A `Content-Disposition` header (RFC 6266) with the exact filename, and an ASCII form for clients that read no other.
 */
const disposition = (kind: "inline" | "attachment", filename: string): string => {
  const ascii = filename.replaceAll(/[^\x20-\x7e]|["\\%]/g, "_")
  const encoded = encodeURIComponent(filename.toWellFormed()).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`
  )
  return `${kind}; filename="${ascii}"; filename*=UTF-8''${encoded}`
}

/** A range of bytes, from `from` up to but without `to`. */
interface ByteRange {
  readonly from: number
  readonly to: number
}

/**
 * The range that a `Range` header requests of `size` bytes (RFC 9110, 14.2). Returns undefined, so that all bytes are
 * sent, if the header is invalid, names several ranges or begins behind the end: a server may ignore the header.
 */
const byteRange = (header: string | undefined, size: number): ByteRange | undefined => {
  const [, first = "", last = ""] = /^bytes=\s*(\d{0,15})\s*-\s*(\d{0,15})\s*$/iu.exec(header ?? "") ?? []
  if (first === "" && last === "") return undefined
  if (first === "") {
    const length = Math.min(size, Number(last))
    return length === 0 ? undefined : { from: size - length, to: size }
  }
  const from = Number(first)
  const to = last === "" ? size : Math.min(size, Number(last) + 1)
  if (last !== "" && Number(last) < from) return undefined
  return from >= size ? undefined : { from, to }
}

/** Returns the bytes of the uploaded file. */
export const getDocumentFile = defineRoute({
  method: "GET",
  path: "/api/documents/{id}/file",
  summary: "Returns a document as it was uploaded",
  access: sessionAccess,
  largeWork: "read",
  pathParameters,
  headerParameters: {
    range: textParameter("The requested part, as `bytes=0-1023`, `bytes=1024-` or `bytes=-500`."),
    "if-range": textParameter("Versions of a file cannot be compared: with this header the response is the whole file.")
  },
  responses: {
    200: {
      description: "The bytes, with the document's media type; a page of HTML as bytes alone.",
      contentType: "application/octet-stream",
      headers: {
        "content-disposition": "Its name; `inline` for a pdf, `attachment` for everything else.",
        "content-length": "The number of bytes.",
        "accept-ranges": "`bytes`: a part can be requested."
      }
    },
    206: {
      description: "The requested part.",
      contentType: "application/octet-stream",
      headers: { "content-range": "The bytes of the part, and their total: `bytes 0-1023/4096`." }
    }
  },
  errors: ["document_not_found", "storage_unavailable"],
  handle: Effect.fnUntraced(function* ({ caller, headers, path }) {
    const service = yield* DocumentService
    const asked = headers["if-range"] === undefined ? headers.range : undefined
    const size = asked === undefined ? 0 : (yield* service.get(caller.userId, path.id)).bytes
    const range = byteRange(asked, size)
    const { bytes, document, from, to } = yield* service.file(caller.userId, path.id, range)
    const { filename, type } = document
    const fileHeaders = {
      "content-type": type === "html" ? "application/octet-stream" : documentType(type).mediaType,
      "content-length": String(to - from),
      "content-disposition": disposition(type === "pdf" ? "inline" : "attachment", filename),
      "content-security-policy": SANDBOX,
      "cross-origin-resource-policy": "same-origin",
      "accept-ranges": "bytes"
    }
    if (range === undefined) return streamed(bytes, fileHeaders)
    return streamed(bytes, { ...fileHeaders, "content-range": `bytes ${from}-${to - 1}/${document.bytes}` }, 206)
  })
})
