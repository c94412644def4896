import { bodyReader } from "./bodyReader.ts"

/** The response has more bytes than allowed. */
export class AnswerTooLarge extends Error {
  override readonly name = "AnswerTooLarge"
}

/** Returns a function that adds up lengths, and throws `AnswerTooLarge` when the sum exceeds `maxBytes`. */
export const byteBudget = (maxBytes: number): ((length: number) => void) => {
  let left = maxBytes
  return (length) => {
    left -= length
    if (left < 0) throw new AnswerTooLarge(`The answer has more than ${maxBytes} bytes.`)
  }
}

/**
 * Yields the chunks of a body after decompression. If the consumer stops early, the rest is not read; if `signal`
 * aborts, its reason is thrown.
 */
async function* piecesOf(response: Response, signal: AbortSignal | undefined): AsyncGenerator<Uint8Array> {
  const reader = bodyReader(response, signal)
  if (reader === undefined) return
  try {
    for (;;) {
      const { done, value } = await reader.read()
      signal?.throwIfAborted()
      if (done) return
      yield value
    }
  } finally {
    void reader.cancel().catch(() => undefined)
  }
}

/**
 * Returns the bytes of a body after decompression. Throws `AnswerTooLarge` if there are more than `maxBytes`, and the
 * signal's reason if it aborts.
 */
export const wholeBytes = async (
  response: Response,
  maxBytes: number,
  signal: AbortSignal | undefined
): Promise<Uint8Array> => {
  const take = byteBudget(maxBytes)
  const pieces: Array<Uint8Array> = []
  for await (const piece of piecesOf(response, signal)) {
    take(piece.length)
    pieces.push(piece)
  }
  return Buffer.concat(pieces)
}

/**
 * Returns the first bytes of a body after decompression, at most `maxBytes`. If `signal` aborts, its reason is thrown.
 */
export const firstBytes = async (
  response: Response,
  maxBytes: number,
  signal: AbortSignal | undefined
): Promise<Uint8Array> => {
  const pieces: Array<Uint8Array> = []
  let length = 0
  for await (const piece of piecesOf(response, signal)) {
    pieces.push(piece.subarray(0, maxBytes - length))
    length += piece.length
    if (length >= maxBytes) break
  }
  return Buffer.concat(pieces)
}
