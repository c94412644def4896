import { type Handler, Parser, type ParserOptions } from "htmlparser2"

/** Elements that are open at once at most, and how many of the innermost are kept where there would be more. */
export const MAX_OPEN_ELEMENTS = 4_096
const KEPT_OPEN_ELEMENTS = 2_048

/**
 * A parser whose time grows with the length of what it reads alone. The parser moves all open elements with each that
 * opens or closes, so that a text of nothing but beginnings takes the square of its length; here the outermost are
 * forgotten where there are too many. Those never close, as in a text that ends before their end.
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
