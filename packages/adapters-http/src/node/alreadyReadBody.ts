import type { IncomingMessage } from "node:http"
import type { TakenBody } from "../body/TakenBody.ts"

const LOST: TakenBody = { _tag: "lost" }

/**
 * The rest of a body that a parser has already read; undefined if no parser has. Express' parsers store the result in
 * `body`; some hosts keep the bytes in `rawBody`.
 */
export const alreadyReadBody = (request: IncomingMessage): TakenBody | undefined => {
  if (!request.readableDidRead && !request.readableEnded) return undefined
  const { body, rawBody } = request as { readonly body?: unknown; readonly rawBody?: unknown }
  const [bytes] = [rawBody, body].filter((left) => left instanceof Uint8Array)
  if (bytes !== undefined)
    return { _tag: "bytes", bytes: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength) }
  if (typeof body === "string") return { _tag: "bytes", bytes: Buffer.from(body) }
  if (body !== undefined && request.readableEnded) return { _tag: "value", value: body }
  return request.readableDidRead ? LOST : { _tag: "bytes", bytes: Buffer.alloc(0) }
}
