const LINE_ENDS = /\r\n?|[\v\f\u2028]/g
const CONTROLS = /[\u0000-\u0008\u000e-\u001f\u007f]/g

/**
 * A text that any store keeps unchanged, so that offsets into it stay true: one kind of line end, no NUL or other control
 * characters, no lone surrogates.
 */
export const cleanText = (text: string): string => text.replace(LINE_ENDS, "\n").replace(CONTROLS, " ").toWellFormed()
