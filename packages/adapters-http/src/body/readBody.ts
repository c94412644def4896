import type { IncomingMessage } from "node:http"
import { Effect } from "effect"
import { PayloadTooLarge } from "../problems/errors.ts"

/**
 * The bytes of a body of at most `limit` bytes. A longer one fails as soon as that is known, without keeping more.
 * A client that leaves half-way gets no answer: the fiber is interrupted from outside.
 */
export const readBody = (request: IncomingMessage, limit: number): Effect.Effect<Buffer, PayloadTooLarge> =>
  Effect.callback<Buffer, PayloadTooLarge>((resume) => {
    const chunks: Array<Buffer> = []
    let size = 0
    const stop = () => {
      request.off("data", onData)
      request.off("end", onEnd)
      chunks.length = 0
    }
    const refuse = () => {
      stop()
      resume(Effect.fail(new PayloadTooLarge({ limit })))
    }
    const onData = (chunk: Buffer) => {
      size += chunk.byteLength
      if (size > limit) refuse()
      else chunks.push(chunk)
    }
    const onEnd = () => {
      const bytes = Buffer.concat(chunks)
      stop()
      resume(Effect.succeed(bytes))
    }
    if (Number(request.headers["content-length"]) > limit) return refuse()
    request.on("data", onData)
    request.on("end", onEnd)
    return Effect.sync(stop)
  })
