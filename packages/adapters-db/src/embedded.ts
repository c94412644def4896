/**
 * Opens an embedded database without loading the rest of this package, for a process that loads it meanwhile.
 */
export { FolderInUse, lockFolder } from "./database/embedded/folderLock.ts"
export { openEngine, type PgliteThread } from "./database/embedded/openEngine.ts"
