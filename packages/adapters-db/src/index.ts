export { ARCHIVED_KINDS, type ArchivedKind, archiveRows } from "./archiving/archiveRows.ts"
export { PgBillingStoreLayer } from "./billing/PgBillingStore.ts"
export { PgBillingUpkeepLayer } from "./billing/PgBillingUpkeep.ts"
export { absentCells } from "./cells/administration/absentCells.ts"
export { addCell } from "./cells/administration/addCell.ts"
export { AssignRefused, MoveRefused, OwnerBusy } from "./cells/moving/moveErrors.ts"
export type { LeftOwners, MoveOptions, Moves, UnfinishedMove } from "./cells/moving/openMoves.ts"
export { fenceCell } from "./cells/administration/fenceCell.ts"
export { beginDirectory, populatedCells } from "./cells/administration/beginDirectory.ts"
export { drainCell } from "./cells/administration/drainCell.ts"
export { CellRefused } from "./cells/administration/cellErrors.ts"
export {
  checkAlone,
  checkCell,
  checkConfigured,
  checkIdentity,
  nameCell,
  noteCells,
  refusalOf
} from "./cells/administration/identifyCell.ts"
export { type LeftAlone, leftAlone } from "./cells/administration/leftAlone.ts"
export { type ListedCell, listCells } from "./cells/administration/listCells.ts"
export { splitNamed, type SplitNamedInput, splitsUnderWay } from "./cells/splitting/splitNamed.ts"
export { SplitRefused } from "./cells/splitting/splitErrors.ts"
export { moveOwners, moving } from "./cells/administration/moveOwners.ts"
export { repairDirectory } from "./cells/repairing/repairDirectory.ts"
export { onCell } from "./cells/administration/onCell.ts"
export { type CellFinding, verifyCells } from "./cells/administration/verifyCells.ts"
export { type CellsOptions, cellsLayer, oneDatabaseLayer } from "./cells/cellsLayer.ts"
export { configuredDatabases, Databases, inDatabase, type NamedDatabase, type OpenedCells } from "./cells/Databases.ts"
export type { Directory, DirectoryOptions } from "./cells/directory/Directory.ts"
export { CellNotOpen, type CellRow, type DirectorySql } from "./cells/directory/directorySql.ts"
export { type OpenCells, openCells, type OpenCellsOptions } from "./cells/openCells.ts"
export { PgBotStoreLayer } from "./bots/PgBotStore.ts"
export { PgCrmConnectionStoreLayer } from "./crm/PgCrmConnectionStore.ts"
export { PgOAuthStateStoreLayer } from "./crm/PgOAuthStateStore.ts"
export { PgChatStoreLayer } from "./chat/PgChatStore.ts"
export { LedgerClock } from "./credits/LedgerClock.ts"
export { CopyPart, CopyRefused, type TableDigest } from "./copying/Copy.ts"
export { copyDatabase } from "./copying/copyDatabase.ts"
export { loadCopy } from "./copying/loadCopy.ts"
export { PgCreditLedgerLayer } from "./credits/PgCreditLedger.ts"
export type { CallersPool } from "./database/server/CallersPool.ts"
export { Database, DatabaseError, type Row, type Sql } from "./database/Database.ts"
export { DatabaseOwner, type OwnerSql } from "./database/DatabaseOwner.ts"
export { FolderInUse, lockFolder } from "./database/embedded/folderLock.ts"
export { PgDatabaseLayer, type PgDatabaseOptions } from "./database/server/PgDatabase.ts"
export { PgliteDatabaseLayer, type PgliteDatabaseOptions } from "./database/embedded/PgliteDatabase.ts"
export { PgliteMissing } from "./database/embedded/PgliteMissing.ts"
export { type DatabaseOptions, databaseLayer, directOptions, unlockedDatabaseLayer } from "./databaseLayer.ts"
export { PgOutboxLayer } from "./events/PgOutbox.ts"
export { PgDocumentStoreLayer } from "./documents/storing/PgDocumentStore.ts"
export { EXACT_SEARCH_PASSAGES, ExactSearchPassages } from "./documents/searching/ExactSearchPassages.ts"
export { PgFileStoreLayer } from "./documents/storing/PgFileStore.ts"
export { PgPassageIndexLayer } from "./documents/indexing/PgPassageIndex.ts"
export {
  buildingMemory,
  buildVectorIndex,
  type BuildVectorIndex,
  dropVectorIndexes,
  type EmbeddedModel,
  embeddingsOf,
  findVectorIndexes,
  isRecentPgvector,
  type VectorIndex,
  type VectorIndexes,
  VectorIndexRefused
} from "./documents/searching/vectorIndexes.ts"
export { PgReindexStoreLayer } from "./documents/indexing/PgReindexStore.ts"
export { installJobQueue } from "./jobs/startBoss.ts"
export { PgBossJobQueueLayer } from "./jobs/PgBossJobQueue.ts"
export type { JobQueueOptions } from "./jobs/JobQueueOptions.ts"
export {
  type DatabaseState,
  inspectDatabase,
  largestLibrary,
  movedFiles,
  unfinishedReindexing
} from "./inspection/inspectDatabase.ts"
export { type PersonUsage, storageUsage, type StorageUsage, type TableUsage } from "./inspection/storageUsage.ts"
export { estimatedOwners, readStorageState, type StorageState } from "./inspection/readStorageState.ts"
export { migrate, MigrationRefused, pendingMigrations } from "./migrations/migrate.ts"
export { loadMigrations, type Migration } from "./migrations/Migration.ts"
export { MigrationUnknown, migrationScript, uninstallScript } from "./migrations/printedSql.ts"
export { migrateDatabase, type OpenDatabase, openDatabase, type OpenDatabaseOptions } from "./openDatabase.ts"
export { checkReadiness, DatabaseNotReady } from "./readiness.ts"
export { PgUnitOfWorkLayer } from "./storage/PgUnitOfWork.ts"
export { storesLayer } from "./storesLayer.ts"
export { PgPersonalDataLayer } from "./users/PgPersonalData.ts"
export { PgAuditLogLayer } from "./audit/PgAuditLog.ts"
