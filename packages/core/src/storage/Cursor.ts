import { Effect, Schema } from "effect"
import { UserId } from "../identity/UserId.ts"
import { InvalidInput } from "./inputs.ts"

const expected = "`next` of the page before"

/**
 * A position in a list, or a range of a list. Only the store that returned it can interpret it; in a store over several
 * databases it contains the position in each of them.
 */
export const Cursor = Schema.String.check(Schema.isPattern(/^[\w.~-]{1,8000}$/, { expected })).pipe(
  Schema.brand("Cursor")
)
export type Cursor = typeof Cursor.Type

/** A part of a list. */
export interface Page<A> {
  readonly rows: ReadonlyArray<A>
  /** The position of the next page; undefined on the last one. */
  readonly next: Cursor | undefined
}

/** Returns a text from outside as a cursor; the store that reads the cursor refuses it if it did not make it. */
export const cursorOfText = <Text extends string | undefined>(text: Text) => text as Text & (Cursor | undefined)

/** Makes a cursor that contains a position; only for stores. */
export const cursorOf = (...position: ReadonlyArray<number | string>): Cursor => {
  const bytes = new TextEncoder().encode(JSON.stringify(position))
  return cursorOfText(Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join(""))
}

/** The error for a cursor that the store did not make. */
export const notACursor = (field = "after"): InvalidInput => new InvalidInput({ field, expected })

/**
 * Returns the position in a cursor; undefined without a cursor. Throws `InvalidInput` unless the position has the given
 * form.
 */
export const positionIn = <A>(form: Schema.Codec<A, unknown>, cursor: Cursor | undefined): A | undefined => {
  if (cursor === undefined) return undefined
  try {
    const bytes = Uint8Array.from(cursor.match(/../g) ?? [], (hex) => Number.parseInt(hex, 16))
    return Schema.decodeUnknownSync(form)(JSON.parse(new TextDecoder().decode(bytes)))
  } catch {
    throw notACursor()
  }
}

/** Does the same for cursors that come from outside, as an effect. */
export const readCursor = <A>(
  form: Schema.Codec<A, unknown>,
  cursor: Cursor | undefined
): Effect.Effect<A | undefined, InvalidInput> =>
  Effect.try({ try: () => positionIn(form, cursor), catch: () => notACursor() })

/** Makes a page from rows of which one more than the limit was read. */
export const pageOf = <A>(found: ReadonlyArray<A>, limit: number, cursorAfter: (last: A) => Cursor): Page<A> => {
  const rows = found.slice(0, limit)
  const last = rows.at(-1)
  return { rows, next: found.length > limit && last !== undefined ? cursorAfter(last) : undefined }
}

/** The form of a position in lists that are in the order of people. */
export const PersonPosition = Schema.Tuple([UserId])

/** A list whose cursor, if there is one, comes from the store itself, so that `InvalidInput` cannot occur. */
export const ownCursor = <A, E>(list: Effect.Effect<A, E | InvalidInput>): Effect.Effect<A, Exclude<E, InvalidInput>> =>
  Effect.catch(list, (error) =>
    error instanceof InvalidInput ? Effect.die(error) : Effect.fail(error as Exclude<E, InvalidInput>)
  )
