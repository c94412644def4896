import { Cause, Effect, type Exit, Stream } from "effect"
import type { TokenizerService } from "../../tokens/TokenizerService.ts"

/**
 * The text of a reply as it grows, kept whole in memory; the limit of a reply bounds it. Any number of readers read it from
 * its beginning, each at its own pace. The writer may wait until a reader has read all and wants more (`wanted`).
 */
export interface ReplyText<E> {
  /** In UTF-16 units. */
  readonly length: () => number
  /** It has begun and has not ended. */
  readonly isGrowing: () => boolean
  /** The available text from an offset on. */
  readonly from: (start: number) => string
  readonly append: (text: string) => void
  /** Ends the text; with a failure, it fails for every reader. Only the first call counts. */
  readonly end: (exit: Exit.Exit<void, E>) => void
  /** Waits for the first words, or for the end if none come. */
  readonly begun: Effect.Effect<void, E>
  /** Waits for a reader that has read everything and waits for more. */
  readonly wanted: Effect.Effect<void>
  /** From the beginning; each element is the text available at that moment. */
  readonly stream: Stream.Stream<string, E>
}

/** Continues a waiting fiber. */
type Resume = (effect: Effect.Effect<void>) => void

/** A text of which nothing is written yet. */
export const makeReplyText = <E>(): ReplyText<E> => {
  const pieces: Array<string> = []
  const starts: Array<number> = []
  let length = 0
  let ended: Exit.Exit<void, E> | undefined
  /** Readers that have read everything. */
  const readers = new Set<Resume>()
  /** The writer, while it waits for a reader. */
  let writer: Resume | undefined

  const wakeReaders = () => {
    const woken = [...readers]
    readers.clear()
    for (const resume of woken) resume(Effect.void)
  }
  /** Waits until there are more pieces than `place`, or no more come. */
  const grown = (place: number) =>
    Effect.callback<void>((resume) => {
      if (pieces.length > place || ended !== undefined) return resume(Effect.void)
      readers.add(resume)
      writer?.(Effect.void)
      return Effect.sync(() => readers.delete(resume))
    })

  return {
    length: () => length,
    isGrowing: () => length > 0 && ended === undefined,
    from: (start) => {
      const place = starts.findLastIndex((each) => each <= start)
      if (place < 0) return ""
      const rest = pieces.slice(place).join("")
      return rest.slice(start - (starts[place] ?? 0))
    },
    append: (text) => {
      if (text === "" || ended !== undefined) return
      starts.push(length)
      pieces.push(text)
      length += text.length
      wakeReaders()
    },
    end: (exit) => {
      ended ??= exit
      wakeReaders()
    },
    begun: Effect.flatMap(grown(0), () => (pieces.length > 0 ? Effect.void : (ended ?? Effect.void))),
    wanted: Effect.callback<void>((resume) => {
      if (readers.size > 0) return resume(Effect.void)
      writer = resume
    }),
    stream: Stream.fromPull(
      Effect.sync(() => {
        let place = 0
        return Effect.gen(function* () {
          yield* grown(place)
          const ready = pieces.slice(place).join("")
          place = pieces.length
          if (ready !== "") return [ready] as const
          if (ended !== undefined) yield* ended
          return yield* Cause.done()
        })
      })
    )
  }
}

/**
 * Tokenizers differ, and ours estimates: the output of a vendor that observes its limit counts at most this many times
 * the limit, and a few more.
 */
const TIMES = 2
const MORE = 32

/** No text has more UTF-16 units per token for long; blanks and rules may, for a while. */
const UNITS_PER_TOKEN = 64
const MORE_UNITS = 4_096

/** Tokens are bytes at least, and a UTF-16 unit is three bytes at most. */
const TOKENS_PER_UNIT = 3

/** The part of new text that fits into the limit, and true if all of it fits. */
export interface Fused {
  readonly text: string
  readonly isCut: boolean
}

/** At most `length` units, without half of a character. */
const cutAt = (text: string, length: number): string =>
  text.length <= length ? text : text.slice(0, Math.max(0, length)).replace(/[\ud800-\udbff]$/, "")

/** The text of a reply as it is delivered: bounded, and counted once. */
export interface ReplyOutput {
  /** Takes new text and returns the part that may be delivered, which then counts as delivered. */
  take(text: string): Fused
  /** The delivered text. */
  text(): string
  /** The estimated tokens of the delivered text. */
  tokens(): number
}

/**
 * Limits the length of one reply: cuts it at about twice the requested tokens, independent of the size of its pieces.
 * Tokens are counted on request or when they may have reached the limit, each text once.
 */
export const replyOutput = (maxOutputTokens: number, tokenizer: TokenizerService): ReplyOutput => {
  const limit = TIMES * maxOutputTokens + MORE
  const mostUnits = UNITS_PER_TOKEN * maxOutputTokens + MORE_UNITS
  const count = tokenizer.countGrowing()
  let whole = ""
  let counted = { units: 0, tokens: 0 }
  /** Up to this length, nothing has to be counted. */
  let countAt = limit / TOKENS_PER_UNIT

  const tokens = (): number => {
    if (counted.units < whole.length) counted = { units: whole.length, tokens: count(whole) }
    return counted.tokens
  }
  const take = (text: string): Fused => {
    const offered = cutAt(text, mostUnits - whole.length)
    const before = { ...counted, text: whole }
    whole += offered
    if (whole.length >= countAt) {
      if (tokens() > limit) {
        // The place of the limit, interpolated from the counts on both sides.
        const share = (limit - before.tokens) / (counted.tokens - before.tokens)
        const units = before.units + Math.floor(share * (whole.length - before.units))
        const cut = cutAt(offered, units - before.text.length)
        whole = before.text + cut
        counted = { units: whole.length, tokens: limit }
        return { text: cut, isCut: true }
      }
      countAt = whole.length + (limit - counted.tokens) / TOKENS_PER_UNIT
    }
    return { text: offered, isCut: offered.length < text.length }
  }
  return { take, text: () => whole, tokens }
}
