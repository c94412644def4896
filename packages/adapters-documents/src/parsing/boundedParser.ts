import { type Handler, Parser, type ParserOptions } from "htmlparser2"

/** The most open elements; if there would be more, the number of the innermost ones that stay open. */
export const MAX_OPEN_ELEMENTS = 4_096
const KEPT_OPEN_ELEMENTS = 2_048

/**
 * An HTML and XML parser whose time is linear in the length of its input. The underlying parser moves all open elements
 * whenever an element opens or closes, so a text of start tags alone would take quadratic time. Therefore the outermost
 * open elements are forgotten if there are too many. They are never closed, as in a text that is cut off.
 */
export const boundedParser = (handler: Partial<Handler>, options?: ParserOptions): Parser => {
  const parser: Parser = new Parser(
    {
      ...handler,
      onopentag: (name, attributes, implied) => {
        // The stack lists the innermost elements first.
        if (parser["stack"].length > MAX_OPEN_ELEMENTS) parser["stack"].length = KEPT_OPEN_ELEMENTS
        handler.onopentag?.(name, attributes, implied)
      }
    },
    options
  )
  return parser
}
