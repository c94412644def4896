import pg from "pg"

const { builtins } = pg.types
/** The oid of the type `bigint[]`, for which the driver has no name. */
const INT8_ARRAY = 1016 as typeof builtins.INT8

const parseArray = pg.types.getTypeParser(INT8_ARRAY) as (text: string) => ReadonlyArray<string | null>

const toNumber = (text: string): number => Number(text)

/**
 * Parses bigint columns to numbers, because every bigint column of the schema is at most 2^53 - 1. Other types are
 * parsed by the driver's own parsers.
 */
export const columnTypes = {
  getTypeParser: (oid: number, format?: string) => {
    if (oid === builtins.INT8) return toNumber
    if (oid === INT8_ARRAY)
      return (text: string) => parseArray(text).map((item) => (item === null ? null : Number(item)))
    return pg.types.getTypeParser(oid, format as "text")
  }
} as pg.CustomTypesConfig
