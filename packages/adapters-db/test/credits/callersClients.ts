import type { CallersTransaction } from "@parley/core"
import type pg from "pg"

/** Query builders' changes of a client: big numbers and times as texts, and the server's report as a cause. */
export const queryBuilder = (client: pg.PoolClient): CallersTransaction => ({
  query: async (text, values) => {
    try {
      const types = { getTypeParser: () => (value: string) => value } as unknown as pg.CustomTypesConfig
      return await client.query({ text, values, types })
    } catch (cause) {
      throw new Error("Failed query", { cause })
    }
  }
})
