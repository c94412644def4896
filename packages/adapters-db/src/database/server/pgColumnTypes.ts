import pg from "pg"

const { builtins } = pg.types
/** The type oid of `bigint[]`, which the driver does not name. */
const INT8_ARRAY = 1016 as typeof builtins.INT8

const parseArray = pg.types.getTypeParser(INT8_ARRAY) as (text: string) => ReadonlyArray<string | null>

const toNumber = (text: string): number => Number(text)

/** bigint as number: every bigint column here is bounded by 2^53 - 1. The rest as the driver has it. */
export const columnTypes = {
  getTypeParser: (oid: number, format?: string) => {
    if (oid === builtins.INT8) return toNumber
    if (oid === INT8_ARRAY)
      return (text: string) => parseArray(text).map((item) => (item === null ? null : Number(item)))
    return pg.types.getTypeParser(oid, format as "text")
  }
} as pg.CustomTypesConfig
