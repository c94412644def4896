import type { StoragePorts } from "@parley/core"
import { Effect, type Semaphore } from "effect"
import type { Directory } from "../directory/Directory.ts"
import type { CellMarks } from "./cellMarks.ts"
import type { SharedRows } from "../global/sharedRows.ts"

/** The stores of one database. */
export interface Place {
  readonly name: string
  readonly stores: StoragePorts
}

/** The databases between which calls are routed. */
export interface Routes {
  readonly directory: Directory
  /** The cells of the configuration. */
  readonly cells: ReadonlyMap<string, Place>
  /** The cell of every owner, if there is one cell: nothing is looked up then. */
  readonly only: Place | undefined
  readonly global: Place
  /** The cells that the directory has at the moment, and the global database if it is none of them. */
  readonly all: Effect.Effect<ReadonlyArray<Place>>
  readonly marks: CellMarks
  readonly shared: SharedRows
  /**
   * One unit of work of no person at a time. It holds a connection to the global database while it looks into the cells, where
   * others hold connections and wait for one to the global database. Those that wait here hold none.
   */
  readonly unowned: Semaphore.Semaphore
}

/** Calls of several methods look alike here: their types are those of the ports again where the router returns them. */
export type Work = Effect.Effect<unknown, unknown, unknown>
export type Args = ReadonlyArray<unknown>
export type Method = (...args: Args) => Work

/** One method of a port, or an effect that stands in its place, of a given database. */
export interface Call {
  /** Port and method, for example `chats.list`. */
  readonly name: string
  readonly run: (place: Place, args: Args) => Work
}

type Service = Readonly<Record<string, Method | Work>>

/** The member `method` of the port `port`. */
export const callOf = (port: string, method: string): Call => ({
  name: `${port}.${method}`,
  run: ({ stores }, args) => {
    const service = (stores as unknown as Readonly<Record<string, Service>>)[port] ?? {}
    const member = service[method]
    if (typeof member !== "function") return member ?? Effect.die(new Error(`There is no ${port}.${method}.`))
    return Reflect.apply(member, service, args)
  }
})
