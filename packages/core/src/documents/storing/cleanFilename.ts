/** The longest name that is kept, in UTF-16 units. */
export const MAX_FILENAME_LENGTH = 255

/** Control characters (C0, DEL, C1), line separators, and the marks that reorder or hide what people read in a name. */
const UNREADABLE =
  /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u061c\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff]/gu

/**
 * A file name as it is stored and shown: the last part of a path, composed (NFC), without control characters, bidirectional
 * overrides, zero-width marks or lone surrogates, and shortened before its extension to 255 UTF-16 units.
 * Letters of every script stay as they are. Empty where nothing is left, as for `..` or `/`.
 */
export const cleanFilename = (name: string): string => {
  const last = name.slice(Math.max(name.lastIndexOf("/"), name.lastIndexOf("\\")) + 1)
  const readable = last.replace(UNREADABLE, "").normalize("NFC").trim()
  return /^\.*$/.test(readable) ? "" : shorten(readable)
}

/** The extension in lower case without its dot; empty where there is none. */
export const extensionOf = (filename: string): string => {
  const dot = filename.lastIndexOf(".")
  return dot < 0 ? "" : filename.slice(dot + 1).toLowerCase()
}

const shorten = (name: string): string => {
  if (name.length <= MAX_FILENAME_LENGTH) return name
  const dot = name.lastIndexOf(".")
  const ending = dot > 0 && name.length - dot <= 16 ? name.slice(dot) : ""
  return beforeHalfCharacter(name.slice(0, MAX_FILENAME_LENGTH - ending.length)) + ending
}

const beforeHalfCharacter = (text: string): string => (text.isWellFormed() ? text : text.slice(0, -1))
