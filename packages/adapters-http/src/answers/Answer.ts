import type { Stream } from "effect"
import type { Coded } from "../problems/problemTable.ts"

/** Header names in lower case. An array sends the header once per element. */
export type AnswerHeaders = Readonly<Record<string, string | ReadonlyArray<string>>>

/** What a route answers with. A text stream's status line goes out with its first text. */
export type Answer =
  | { readonly _tag: "json"; readonly status: number; readonly headers: AnswerHeaders; readonly body: unknown }
  | { readonly _tag: "empty"; readonly status: number; readonly headers: AnswerHeaders }
  | {
      readonly _tag: "text-stream"
      readonly status: number
      readonly headers: AnswerHeaders
      readonly text: Stream.Stream<string, Coded>
    }

/** An answer whose body is `body` as JSON. */
export const json = (status: number, body: unknown, headers: AnswerHeaders = {}): Answer => ({
  _tag: "json",
  status,
  headers,
  body
})

/** An answer without a body: 204 unless another status is given. */
export const empty = (headers: AnswerHeaders = {}, status = 204): Answer => ({ _tag: "empty", status, headers })

/** An answer whose body is written while `text` runs. */
export const textStream = (text: Stream.Stream<string, Coded>, headers: AnswerHeaders = {}): Answer => ({
  _tag: "text-stream",
  status: 200,
  headers,
  text
})
