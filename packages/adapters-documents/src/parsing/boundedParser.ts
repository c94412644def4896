import { type Handler, Parser, type ParserOptions } from "htmlparser2"

/** The most open elements, and how many of the innermost stay if there would be more. */
export const MAX_OPEN_ELEMENTS = 4_096
const KEPT_OPEN_ELEMENTS = 2_048

/**
 * A parser whose time is linear in the length of its input. The parser moves all open elements with each that opens or
 * closes, so a text of start tags alone takes quadratic time; here the outermost are forgotten if there are too many.
 * Those never close, as in a text that ends before their end.
 */
export const boundedParser = (handler: Partial<Handler>, options?: ParserOptions): Parser => {
  const parser: Parser = new Parser(
    {
      ...handler,
      onopentag: (name, attributes, implied) => {
        // The innermost come first.
        if (parser["stack"].length > MAX_OPEN_ELEMENTS) parser["stack"].length = KEPT_OPEN_ELEMENTS
        handler.onopentag?.(name, attributes, implied)
      }
    },
    options
  )
  return parser
}
