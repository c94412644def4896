import { openDatabase } from "@parley/adapters-db"

/** Postgres in this process; its data is in the folder `.parley`. */
export const openStorage = () => openDatabase({ dataDir: process.env["PARLEY_DATA_DIR"] ?? ".parley" })
