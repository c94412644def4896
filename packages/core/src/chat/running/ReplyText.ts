import { Cause, Effect, Exit, type Pull, Stream } from "effect"

/**
 * The text of a reply as it grows, kept whole in memory, of which a reply's own limit is the bound. Any number of readers
 * read it from its beginning, each at its own pace; none of them holds up who writes it.
 */
export interface ReplyText<E> {
  /** In UTF-16 units. */
  readonly length: () => number
  /** From a place on, what there is. */
  readonly from: (start: number) => string
  readonly append: (text: string) => void
  /** Ends the text; a failure breaks it off for every reader. Only the first call counts. */
  readonly end: (exit: Exit.Exit<void, E>) => void
  /** Waits for the first words, or for the end where none come. */
  readonly begun: Effect.Effect<void, E>
  /** From the beginning; each element is what was there at once. */
  readonly stream: Stream.Stream<string, E>
}

/** A text that nothing is written of yet. */
export const makeReplyText = <E>(): ReplyText<E> => {
  const pieces: Array<string> = []
  const starts: Array<number> = []
  let length = 0
  let ended: Exit.Exit<void, E> | undefined
  let waiting: Array<() => void> = []

  const wake = () => {
    const woken = waiting
    waiting = []
    for (const resume of woken) resume()
  }
  const change = Effect.callback<void>((resume) => {
    const wakeUp = () => resume(Effect.void)
    waiting.push(wakeUp)
    return Effect.sync(() => {
      waiting = waiting.filter((each) => each !== wakeUp)
    })
  })
  const over = (exit: Exit.Exit<void, E>): Pull.Pull<never, E> =>
    Exit.isSuccess(exit) ? Cause.done() : Effect.failCause(exit.cause)
  const readFrom = (cursor: { place: number }): Pull.Pull<readonly [string], E> =>
    Effect.suspend((): Pull.Pull<readonly [string], E> => {
      if (cursor.place < pieces.length) {
        const ready = pieces.slice(cursor.place).join("")
        cursor.place = pieces.length
        return Effect.succeed([ready] as const)
      }
      return ended === undefined ? Effect.andThen(change, readFrom(cursor)) : over(ended)
    })
  const begun: Effect.Effect<void, E> = Effect.suspend(() => {
    if (pieces.length > 0) return Effect.void
    return ended === undefined ? Effect.andThen(change, begun) : ended
  })

  return {
    length: () => length,
    from: (start) => {
      const place = starts.findLastIndex((each) => each <= start)
      return place < 0
        ? ""
        : pieces
            .slice(place)
            .join("")
            .slice(start - (starts[place] ?? 0))
    },
    append: (text) => {
      if (text === "" || ended !== undefined) return
      starts.push(length)
      pieces.push(text)
      length += text.length
      wake()
    },
    end: (exit) => {
      ended ??= exit
      wake()
    },
    begun,
    stream: Stream.fromPull(Effect.sync(() => readFrom({ place: 0 })))
  }
}
