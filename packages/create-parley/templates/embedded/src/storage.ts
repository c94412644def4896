import { openDatabase } from "@parley/adapters-db"

/** Opens Postgres within this process. Its data is in the folder `.parley`. */
export const openStorage = () => openDatabase({ dataDir: process.env["PARLEY_DATA_DIR"] ?? ".parley" })
