import { join } from "node:path"

/** Where in the data folder the embedded database is. */
export const databaseFolder = (dataFolder: string): string => join(dataFolder, "database")
