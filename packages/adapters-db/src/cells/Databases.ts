import type { StoragePort } from "@parley/core/effect"
import { Context, Effect } from "effect"
import { Database, type DatabaseError } from "../database/Database.ts"
import { DatabaseOwner } from "../database/DatabaseOwner.ts"
import type { ExpectedCell } from "./administration/ExpectedCell.ts"
import type { Directory } from "./directory/Directory.ts"
import type { DirectorySql } from "./directory/directorySql.ts"
import type { Moves } from "./moving/openMoves.ts"
import type { Cell } from "./moving/ownerTables.ts"
import type { Listed } from "./global/listCell.ts"

/** An open database with its own stores. */
export interface NamedDatabase {
  /** The name of the cell, or "global". */
  readonly name: string
  readonly services: Context.Context<Database | DatabaseOwner | StoragePort>
  /** The identity that connections to the database of a cell must find. */
  readonly expected?: ExpectedCell | undefined
}

/** The cells of a program, and the directory of their owners in the global database. */
export interface OpenedCells {
  /** Those of the configuration. */
  readonly configured: ReadonlyMap<string, NamedDatabase>
  /**
   * Those of them that the directory has at the moment; the others take no part in anything. All of them before this
   * process has read the directory, and if there is only one.
   */
  readonly byName: ReadonlyMap<string, NamedDatabase>
  readonly directory: Directory
  readonly sql: DirectorySql
  /** The moves of owners between them. */
  readonly moves: Moves
  /**
   * Writes the payment references and the bots' keys of these cells into the directory if they are missing there;
   * of the cells that were never looked at unless names are given.
   */
  readonly mend: (names?: ReadonlyArray<string>) => Effect.Effect<ReadonlyMap<string, Listed>, DatabaseError>
}

/** All databases of a program: a single one, or the global database and the cells. */
export class Databases extends Context.Service<
  Databases,
  {
    /** The database of the rows that all people share. */
    readonly global: NamedDatabase
    /** The global database, then the cells of `byName` that are other databases. */
    readonly all: ReadonlyArray<NamedDatabase>
    /** Undefined if there is a single database, without a directory. */
    readonly cells: OpenedCells | undefined
  }
>()("@parley/adapters-db/cells/Databases") {}

/** The global database, then all configured cells that are other databases, also those that the directory does not have. */
export const configuredDatabases = ({ cells, global }: Databases["Service"]): ReadonlyArray<NamedDatabase> => [
  global,
  ...[...(cells?.configured.values() ?? [])].filter((cell) => cell !== global)
]

/** Runs work on one of several databases, with its own stores. */
export const inDatabase = <A, E, R>(
  { services }: NamedDatabase,
  work: Effect.Effect<A, E, R>
): Effect.Effect<A, E, Exclude<R, Database | DatabaseOwner | StoragePort>> => Effect.provideContext(work, services)

/** A cell as moves need it. */
export const cellOf = ({ name, services }: NamedDatabase): Cell => ({
  id: name,
  database: Context.get(services, Database),
  owner: Context.get(services, DatabaseOwner)
})
