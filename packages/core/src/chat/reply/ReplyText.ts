import { Cause, Effect, Exit, type Pull, Stream } from "effect"

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

/** Fibers that wait until something is so. */
const makeWaiting = () => {
  let waiting: Array<() => void> = []
  return {
    isEmpty: () => waiting.length === 0,
    wake: () => {
      const woken = waiting
      waiting = []
      for (const resume of woken) resume()
    },
    /** Waits for the next `wake`, unless `isSo`; `onWait` runs if it waits. */
    until: (isSo: () => boolean, onWait?: () => void) =>
      Effect.callback<void>((resume) => {
        if (isSo()) return resume(Effect.void)
        const wakeUp = () => resume(Effect.void)
        waiting.push(wakeUp)
        onWait?.()
        return Effect.sync(() => {
          waiting = waiting.filter((each) => each !== wakeUp)
        })
      })
  }
}

/** A text of which nothing is written yet. */
export const makeReplyText = <E>(): ReplyText<E> => {
  const pieces: Array<string> = []
  const starts: Array<number> = []
  let length = 0
  let ended: Exit.Exit<void, E> | undefined
  const readers = makeWaiting()
  const writer = makeWaiting()

  const hasAfter = (place: number) => () => pieces.length > place || ended !== undefined
  const over = (exit: Exit.Exit<void, E>): Pull.Pull<never, E> =>
    Exit.isSuccess(exit) ? Cause.done() : Effect.failCause(exit.cause)
  const readFrom = (cursor: { place: number }): Pull.Pull<readonly [string], E> =>
    Effect.suspend((): Pull.Pull<readonly [string], E> => {
      if (cursor.place < pieces.length) {
        const ready = pieces.slice(cursor.place).join("")
        cursor.place = pieces.length
        return Effect.succeed([ready] as const)
      }
      return ended === undefined
        ? Effect.andThen(readers.until(hasAfter(cursor.place), writer.wake), readFrom(cursor))
        : over(ended)
    })
  const begun: Effect.Effect<void, E> = Effect.suspend(() => {
    if (pieces.length > 0) return Effect.void
    return ended === undefined ? Effect.andThen(readers.until(hasAfter(0)), begun) : ended
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
      readers.wake()
    },
    end: (exit) => {
      ended ??= exit
      readers.wake()
    },
    begun,
    wanted: Effect.suspend(() => (readers.isEmpty() ? writer.until(() => !readers.isEmpty()) : Effect.void)),
    stream: Stream.fromPull(Effect.sync(() => readFrom({ place: 0 })))
  }
}
