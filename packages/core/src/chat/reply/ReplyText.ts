import { Cause, Effect, type Exit, Stream } from "effect"

/**
 * The text of a reply as it grows, kept whole in memory; the limit of a reply bounds it. Any number of readers read it from
 * its beginning, each at its own pace. The writer may wait until a reader has read all and wants more (`wanted`).
 */
export interface ReplyText<E> {
  /** In UTF-16 units. */
  readonly length: () => number
  /** From a place on, what there is. */
  readonly from: (start: number) => string
  readonly append: (text: string) => void
  /** Ends the text; a failure breaks it off for every reader. Only the first call counts. */
  readonly end: (exit: Exit.Exit<void, E>) => void
  /** Waits for the first words, or for the end if none come. */
  readonly begun: Effect.Effect<void, E>
  /** Waits for a reader that has read everything and waits for more. */
  readonly wanted: Effect.Effect<void>
  /** From the beginning; each element is what was there at once. */
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
