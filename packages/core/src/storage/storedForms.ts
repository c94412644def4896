import { Context, Effect } from "effect"

/** Generates new identifiers: random UUIDs (RFC 9562, version 4), unless a test provides its own. */
export class IdGenerator extends Context.Reference<{ readonly next: Effect.Effect<string> }>(
  "@parley/core/storage/IdGenerator",
  { defaultValue: () => ({ next: Effect.sync(() => crypto.randomUUID()) }) }
) {}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** True if a text is a UUID in the text form of RFC 9562, any version and either case. */
export const isUuid = (text: string): boolean => UUID.test(text)

/**
 * A text as every store keeps it: NUL and surrogates without their partner become U+FFFD, since Postgres holds neither.
 * The length in UTF-16 units stays, so that offsets into the text still fit.
 */
export const storableText = (text: string): string => text.replaceAll("\0", "\uFFFD").toWellFormed()

/** A name or a title as every store keeps it: trimmed, in one line. */
export const storableLine = (text: string): string => storableText(text).trim().replaceAll(/\s+/g, " ")
