import { type Cursor, cursorOf, type FeedEvents, type FeedInput, readCursor } from "@parley/core/adapter"
import { Effect, Result, Schema } from "effect"
import { answersOf } from "./overAll.ts"
import type { Call, Method, Routes } from "./Routes.ts"

/** The name of each database and the cursor in it, one after the other. */
const Positions = Schema.Array(Schema.String)

const placesIn = (cursor: Cursor | undefined) =>
  Effect.map(readCursor(Positions, cursor), (flat = []): Readonly<Record<string, string>> => {
    const names = flat.filter((_, index) => index % 2 === 0)
    return Object.fromEntries(names.map((name, index) => [name, flat[2 * index + 1] ?? ""]))
  })

interface Part {
  readonly name: string
  readonly found: FeedEvents
  /** The number of its events on the page. */
  readonly taken: number
}

/** Takes events from the databases in turns, at most `limit`. */
const inTurns = (found: ReadonlyArray<Omit<Part, "taken">>, limit: number): ReadonlyArray<Part> => {
  const taken = found.map(() => 0)
  let left = limit
  for (let wasTaken = true; wasTaken && left > 0;) {
    wasTaken = false
    for (const [index, { found: page }] of found.entries()) {
      if (left === 0 || (taken[index] ?? 0) >= page.events.length) continue
      taken[index] = (taken[index] ?? 0) + 1
      left -= 1
      wasTaken = true
    }
  }
  return found.map((part, index) => ({ ...part, taken: taken[index] ?? 0 }))
}

/**
 * The feed of events over several databases. A reader continues in each of them where it was, so it misses none. The
 * events of one person keep their order. A database that does not answer is left where it was.
 */
export const feedOverAll = ({ all }: Routes, call: Call): Method => {
  const read = Effect.fnUntraced(function* ({ after, limit }: FeedInput) {
    const places = yield* placesIn(after)
    const ask = (name: string, most: number) => [{ limit: most, after: places[name] }]
    const answers = yield* answersOf(all, (place) => call.run(place, ask(place.name, limit)))
    const found = answers.flatMap(({ place, result }) =>
      Result.isSuccess(result) ? [{ place, name: place.name, found: result.success as FeedEvents }] : []
    )
    if (found.length === 0 && answers[0] !== undefined) return yield* Effect.fromResult(answers[0].result)
    const next: Record<string, string> = { ...places }
    const events: Array<unknown> = []
    for (const [index, { found: page, name, taken }] of inTurns(found, limit).entries()) {
      const place = found[index]?.place
      if (taken === 0 || place === undefined) continue
      const whole = taken === page.events.length
      const part = whole ? page : ((yield* call.run(place, ask(name, taken))) as FeedEvents)
      events.push(...part.events)
      next[name] = part.next
    }
    return { events, next: cursorOf(...Object.entries(next).flat()) }
  })
  return (input) => read(input as FeedInput)
}
