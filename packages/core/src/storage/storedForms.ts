import { Context, Effect } from "effect"

/** Generates new identifiers: random UUIDs (RFC 9562, version 4), unless a test provides its own. */
export class IdGenerator extends Context.Reference<{ readonly next: Effect.Effect<string> }>(
  "@parley/core/storage/IdGenerator",
  { defaultValue: () => ({ next: Effect.sync(() => crypto.randomUUID()) }) }
) {}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** Returns true if a text is a UUID in the text form of RFC 9562, any version, in upper or lower case. */
export const isUuid = (text: string): boolean => UUID.test(text)

/**
 * Returns a text in the form in which all stores keep it: NUL and unpaired surrogates become U+FFFD, because Postgres
 * cannot store them. The length in UTF-16 units stays, so that offsets into the text stay valid.
 */
export const storableText = (text: string): string => text.replaceAll("\0", "\uFFFD").toWellFormed()

/** Returns a name or a title in the form in which all stores keep it: trimmed, in one line. */
export const storableLine = (text: string): string => storableText(text).trim().replaceAll(/\s+/g, " ")
