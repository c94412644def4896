import { join } from "node:path"

/** The folder of the embedded database in the data folder. */
export const databaseFolder = (dataFolder: string): string => join(dataFolder, "database")
