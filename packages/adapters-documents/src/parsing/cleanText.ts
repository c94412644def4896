const LINE_ENDS = /\r\n?|[\v\f\u2028]/g
const CONTROLS = /[\u0000-\u0008\u000e-\u001f\u007f]/g

/**
 * Changes a text so that any store keeps it unchanged and offsets into it stay correct: it has one kind of line end, no
 * NUL or other control characters, and no lone surrogates.
 */
export const cleanText = (text: string): string => text.replace(LINE_ENDS, "\n").replace(CONTROLS, " ").toWellFormed()
