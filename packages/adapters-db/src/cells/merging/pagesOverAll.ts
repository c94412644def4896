import { type Cursor, cursorOfText, notACursor } from "@parley/core/adapter"
import { Effect } from "effect"
import { inPlace } from "../routing/byOwner.ts"
import { sumOf } from "./mergeResults.ts"
import type { Args, Call, Method, Place, Routes, Work } from "../routing/Routes.ts"

/** A position in one database; `cursor` is undefined at its beginning. */
export interface Position {
  readonly index: number
  readonly cursor: Cursor | undefined
}

/** A cursor is the name of a database, a tilde, and the cursor in it. Names have no tildes. */
export const cursorAt = ({ name }: Place, cursor: Cursor | undefined): Cursor => cursorOfText(`${name}~${cursor ?? ""}`)

/** The position of a cursor; fails if no call returned it. */
export const positionOf = (all: ReadonlyArray<Place>, cursor: Cursor | undefined) => {
  if (cursor === undefined) return Effect.succeed<Position>({ index: 0, cursor: undefined })
  const at = cursor.indexOf("~")
  const index = all.findIndex(({ name }) => name === cursor.slice(0, Math.max(at, 0)))
  const inner = cursor.slice(at + 1)
  return index < 0
    ? Effect.fail(notACursor())
    : Effect.succeed<Position>({ index, cursor: inner === "" ? undefined : cursorOfText(inner) })
}

/** A page of any list. */
interface Listed {
  readonly next: Cursor | undefined
  readonly rows?: ReadonlyArray<unknown>
  readonly jobs?: ReadonlyArray<unknown>
  readonly accounts?: number
}

interface Query {
  readonly limit: number
  readonly after?: Cursor | undefined
}

const sizeOf = ({ accounts, jobs, rows }: Listed): number => rows?.length ?? jobs?.length ?? accounts ?? 0

const isQuery = (arg: unknown): arg is Query => typeof arg === "object" && arg !== null && "limit" in arg

/**
 * Routes a list of the rows of all people: one database after another, each in its own order. A page is filled from the
 * next database if one ends within it.
 */
export const pagesOverAll = ({ all }: Routes, call: Call): Method => {
  const read = (place: Place, args: Args, query: Query) => {
    const running = call.run(
      place,
      args.map((arg) => (isQuery(arg) ? query : arg))
    )
    return Effect.map(inPlace(place, running), (page) => page as Listed)
  }

  /** The first of some databases that has a row. */
  const firstWithRows = Effect.fnUntraced(function* (places: ReadonlyArray<Place>, args: Args, query: Query) {
    for (const place of places) {
      const page = yield* read(place, args, { ...query, after: undefined, limit: 1 })
      if (sizeOf(page) > 0) return place
    }
    return undefined
  })

  const list = Effect.fnUntraced(function* (args: Args, query: Query) {
    const places = yield* all
    const start = yield* positionOf(places, query.after)
    let total: Listed | undefined
    let { cursor } = start
    for (const [index, place] of places.entries()) {
      if (index < start.index) continue
      const limit = query.limit - (total === undefined ? 0 : sizeOf(total))
      const page: Listed = yield* read(place, args, { ...query, after: cursor, limit })
      cursor = undefined
      total = total === undefined ? page : (sumOf(total, page) as Listed)
      if (page.next !== undefined) return { ...total, next: cursorAt(place, page.next) }
      if (sizeOf(total) < query.limit) continue
      const next = yield* firstWithRows(places.slice(index + 1), args, query)
      return { ...total, next: next === undefined ? undefined : cursorAt(next, undefined) }
    }
    return { ...total, next: undefined }
  })

  return (...args): Work => {
    const query = args.find(isQuery)
    return query === undefined ? Effect.die(new Error(`${call.name} has no limit.`)) : list(args, query)
  }
}
