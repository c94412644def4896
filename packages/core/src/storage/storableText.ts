/**
 * A text as every store keeps it: NUL and surrogates without their partner become U+FFFD, since Postgres holds neither.
 * The length in UTF-16 units stays, so that offsets into the text still fit.
 */
export const storableText = (text: string): string => text.replaceAll("\0", "\uFFFD").toWellFormed()

/** A name or a title as every store keeps it: trimmed, in one line. */
export const storableLine = (text: string): string => storableText(text).trim().replaceAll(/\s+/g, " ")
