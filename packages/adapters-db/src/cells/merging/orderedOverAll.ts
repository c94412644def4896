import { type Cursor, cursorOf, readCursor } from "@parley/core/adapter"
import { Effect, Result, Schema } from "effect"
import { answersOf, type Answer } from "./overAll.ts"
import type { Args, Call, Method, Place, Routes, Work } from "../routing/Routes.ts"

/** A list whose rows of several databases have one order. */
interface OrderedList {
  /** The field of a page that has its rows. */
  readonly field: "events" | "jobs" | "rows"
  /** The order of two rows. */
  readonly isBefore: (a: never, b: never) => boolean
  /** Readers continue after the last page, when there are new rows. A database that does not answer is left where it was. */
  readonly isEndless: boolean
}

interface Query {
  readonly limit: number
  readonly after?: Cursor | undefined
}

type Page = Readonly<Record<OrderedList["field"], ReadonlyArray<never> | undefined>> & {
  readonly next: Cursor | undefined
}

/** The name of each database and the cursor in it, one after the other. */
const Positions = Schema.Array(Schema.String)

/** In place of the cursor in a database whose rows have all been read. */
const READ = "-"

type Places = Readonly<Record<string, string>>

const placesIn = (cursor: Cursor | undefined) =>
  Effect.map(readCursor(Positions, cursor), (flat = []): Places => {
    const names = flat.filter((_, index) => index % 2 === 0)
    return Object.fromEntries(names.map((name, index) => [name, flat[2 * index + 1] ?? ""]))
  })

interface Part {
  readonly place: Place
  readonly rows: ReadonlyArray<never>
  readonly next: Cursor | undefined
}

/** A row, and its page's place among the pages. */
interface Taken {
  readonly row: never
  readonly index: number
}

/** The first rows of several pages, at most `limit`; those of one page stay in their order. */
const firstRows = (parts: ReadonlyArray<Part>, limit: number, { isBefore }: OrderedList): ReadonlyArray<Taken> => {
  const heads = parts.map(() => 0)
  const taken: Array<Taken> = []
  while (taken.length < limit) {
    let first: Taken | undefined
    for (const [index, { rows }] of parts.entries()) {
      const head = heads[index] ?? 0
      if (head >= rows.length) continue
      const row = rows[head] as never
      if (first === undefined || isBefore(row, first.row)) first = { row, index }
    }
    if (first === undefined) break
    heads[first.index] = (heads[first.index] ?? 0) + 1
    taken.push(first)
  }
  return taken
}

const partsOf = (answers: ReadonlyArray<Answer>, { field, isEndless }: OrderedList) => {
  const isEnough = isEndless && answers.some(({ result }) => Result.isSuccess(result))
  const answered = isEnough ? answers.filter(({ result }) => Result.isSuccess(result)) : answers
  return Effect.forEach(answered, ({ place, result }) =>
    Effect.map(Effect.fromResult(result), (found): Part => {
      const page = found as Page
      return { place, rows: page[field] ?? [], next: page.next }
    })
  )
}

/**
 * Routes a list that has one order over all databases. Each is asked for a page, and the cursor contains the position in
 * each, so that a reader misses no row of any.
 */
export const orderedOverAll =
  (list: OrderedList) =>
  ({ all }: Routes, call: Call): Method => {
    const read = Effect.fnUntraced(function* (args: Args, query: Query) {
      const places = yield* placesIn(query.after)
      const ask = (place: Place, limit: number) =>
        call.run(
          place,
          args.map((arg) => (arg === query ? { ...query, limit, after: places[place.name] } : arg))
        )
      const open = (yield* all).filter(({ name }) => places[name] !== READ)
      const parts = yield* partsOf(yield* answersOf(open, (place) => ask(place, query.limit)), list)
      const taken = firstRows(parts, query.limit, list)
      const next: Record<string, string> = { ...places }
      let isMore = list.isEndless
      for (const [index, { next: after, place, rows }] of parts.entries()) {
        const count = taken.filter((each) => each.index === index).length
        isMore ||= count < rows.length || after !== undefined
        if (count === rows.length && (count > 0 || !list.isEndless)) next[place.name] = after ?? READ
        // The cursor within a page is that of a page which ends there.
        else if (count > 0) next[place.name] = ((yield* ask(place, count)) as Page).next ?? READ
      }
      const rows = taken.map(({ row }) => row)
      return { [list.field]: rows, next: isMore ? cursorOf(...Object.entries(next).flat()) : undefined }
    })
    return (...args): Work => read(args, args.at(-1) as Query)
  }
