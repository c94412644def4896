import { Cause, Effect, type Exit, Stream } from "effect"
import type { TokenizerService } from "../../tokens/TokenizerService.ts"

/**
 * The growing text of a reply, held whole in memory; its size is bounded by the limit of a reply. Any number of readers
 * read it from its beginning, each at its own pace. The writer may wait until a reader has read everything and wants
 * more (`wanted`).
 */
export interface ReplyText<E> {
  /** In UTF-16 units. */
  readonly length: () => number
  /** Returns true after the first words, until the end. */
  readonly isGrowing: () => boolean
  /** Returns the available text from an offset on. */
  readonly from: (start: number) => string
  readonly append: (text: string) => void
  /** Ends the text. If `exit` is a failure, the text fails for every reader. Only the first call has an effect. */
  readonly end: (exit: Exit.Exit<void, E>) => void
  /** Waits for the first words, or for the end if there are none. */
  readonly begun: Effect.Effect<void, E>
  /** Waits until a reader has read everything and waits for more. */
  readonly wanted: Effect.Effect<void>
  /** The text from its beginning; each element is the text available at that moment. */
  readonly stream: Stream.Stream<string, E>
}

/** Resumes a waiting fiber. */
type Resume = (effect: Effect.Effect<void>) => void

/** Makes an empty text. */
export const makeReplyText = <E>(): ReplyText<E> => {
  const pieces: Array<string> = []
  const starts: Array<number> = []
  let length = 0
  let ended: Exit.Exit<void, E> | undefined
  /** The readers that have read everything and wait for more. */
  const readers = new Set<Resume>()
  /** The writer, while it waits for a reader. */
  let writer: Resume | undefined

  const wakeReaders = () => {
    const woken = [...readers]
    readers.clear()
    for (const resume of woken) resume(Effect.void)
  }
  /** Waits until there are more pieces than `place`, or until the text ends. */
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
 * The output of a vendor that observes its limit counts at most this many times the limit, plus `MORE` tokens:
 * tokenizers differ, and Parley's own count is an estimate.
 */
const TIMES = 2
const MORE = 32

/**
 * On average no text has more UTF-16 units per token than this; short stretches of blanks and rules may, so
 * `MORE_UNITS` are added.
 */
const UNITS_PER_TOKEN = 64
const MORE_UNITS = 4_096

/**
 * The maximum number of tokens of one UTF-16 unit: a token is at least one byte, and a UTF-16 unit is at most three
 * bytes.
 */
const TOKENS_PER_UNIT = 3

/** The part of new text that fits into the limit; `isCut` is true if the rest was cut off. */
export interface Fused {
  readonly text: string
  readonly isCut: boolean
}

/** Returns at most `length` UTF-16 units, without splitting a character. */
const cutAt = (text: string, length: number): string =>
  text.length <= length ? text : text.slice(0, Math.max(0, length)).replace(/[\ud800-\udbff]$/, "")

/** The delivered text of a reply, which is bounded and whose tokens are counted once. */
export interface ReplyOutput {
  /** Takes new text and returns the part within the limit, which then counts as delivered. */
  take(text: string): Fused
  /** The delivered text. */
  text(): string
  /** The estimated tokens of the delivered text. */
  tokens(): number
}

/**
 * Limits the length of one reply: cuts it at about twice the requested tokens, independent of the size of its pieces.
 * Tokens are counted on request, or when they may have reached the limit; each text is counted once.
 */
export const replyOutput = (maxOutputTokens: number, tokenizer: TokenizerService): ReplyOutput => {
  const limit = TIMES * maxOutputTokens + MORE
  const mostUnits = UNITS_PER_TOKEN * maxOutputTokens + MORE_UNITS
  const count = tokenizer.countGrowing()
  let whole = ""
  let counted = { units: 0, tokens: 0 }
  /** Below this length the text cannot have reached the limit, so nothing is counted. */
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
        // The position of the limit, interpolated between the counts before and after this text.
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
