import { priceOf } from "@parley/core"

/** The import of a page that only shows prices. */
export const price = priceOf
