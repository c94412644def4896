/** Opens an embedded database without loading the rest of this package, which the process loads at the same time. */
export { FolderInUse, lockFolder } from "./database/embedded/folderLock.ts"
export { openEngine, type PgliteThread } from "./database/embedded/openEngine.ts"
