import type { IncomingMessage } from "node:http"

/**
 * What another body parser has left of a body: its bytes, its parsed value, or nothing that could be used. Express'
 * parsers put what they read into `body`; some hosts keep the bytes in `rawBody`.
 */
export type TakenBody =
  | { readonly _tag: "bytes"; readonly bytes: Buffer }
  | { readonly _tag: "value"; readonly value: unknown }
  | { readonly _tag: "lost" }

const LOST: TakenBody = { _tag: "lost" }

/** What there is of a body that was read before; undefined where nothing of it has been read. */
export const takenBody = (request: IncomingMessage): TakenBody | undefined => {
  if (!request.readableDidRead && !request.readableEnded) return undefined
  const { body, rawBody } = request as { readonly body?: unknown; readonly rawBody?: unknown }
  const [bytes] = [rawBody, body].filter((left) => left instanceof Uint8Array)
  if (bytes !== undefined)
    return { _tag: "bytes", bytes: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength) }
  if (typeof body === "string") return { _tag: "bytes", bytes: Buffer.from(body) }
  if (body !== undefined && request.readableEnded) return { _tag: "value", value: body }
  return request.readableDidRead ? LOST : { _tag: "bytes", bytes: Buffer.alloc(0) }
}
