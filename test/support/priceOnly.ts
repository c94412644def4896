import { priceOf } from "@parley/core"

/** What a page that only shows prices has of the core. */
export const price = priceOf
