import type { Stream } from "effect"
import type { Coded } from "../problems/problemTable.ts"

/** Header names in lower case. An array sends the header once per element: an empty one removes a default header. */
export type AnswerHeaders = Readonly<Record<string, string | ReadonlyArray<string>>>

/** The response of a route. The status line of a text stream is sent with its first text. */
export type Answer =
  | { readonly _tag: "json"; readonly status: number; readonly headers: AnswerHeaders; readonly body: unknown }
  | { readonly _tag: "empty"; readonly status: number; readonly headers: AnswerHeaders }
  | { readonly _tag: "bytes"; readonly status: number; readonly headers: AnswerHeaders; readonly bytes: Uint8Array }
  | {
      readonly _tag: "text-stream"
      readonly status: number
      readonly headers: AnswerHeaders
      readonly text: Stream.Stream<string, Coded>
    }
  | {
      readonly _tag: "byte-stream"
      readonly status: number
      readonly headers: AnswerHeaders
      readonly bytes: Stream.Stream<Uint8Array, Coded>
    }

/** A response with `body` as JSON. */
export const json = (status: number, body: unknown, headers: AnswerHeaders = {}): Answer => ({
  _tag: "json",
  status,
  headers,
  body
})

/** A response without a body; default status 204. */
export const empty = (headers: AnswerHeaders = {}, status = 204): Answer => ({ _tag: "empty", status, headers })

/** A response with a complete body. */
export const wholeBytes = (bytes: Uint8Array, headers: AnswerHeaders): Answer => ({
  _tag: "bytes",
  status: 200,
  headers,
  bytes
})

/** A response whose body is written while `text` runs. */
export const textStream = (text: Stream.Stream<string, Coded>, headers: AnswerHeaders = {}): Answer => ({
  _tag: "text-stream",
  status: 200,
  headers,
  text
})

/** A response whose body is written while `bytes` runs; default status 200. */
export const byteStream = (bytes: Stream.Stream<Uint8Array, Coded>, headers: AnswerHeaders, status = 200): Answer => ({
  _tag: "byte-stream",
  status,
  headers,
  bytes
})
