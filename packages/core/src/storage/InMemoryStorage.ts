import { Context, Effect, Exit, Layer, Semaphore } from "effect"
import type { UserId } from "../identity/UserId.ts"
import type { Companion } from "./Companion.ts"
import { StorageFailed } from "./StorageFailed.ts"
import { TransactionNotJoined } from "./CallersTransaction.ts"
import { UnitOfWork } from "./UnitOfWork.ts"

interface Unit {
  open: boolean
  /** True if a part of the unit of work has failed, so that the whole must be undone. */
  doomed: boolean
}

interface RemovedDocument {
  readonly userId: UserId
  readonly documentId: string
}

/** A conversation of a visitor with a bot, or a chat of a person, whose `bot` and `visitor` are empty. */
export interface RemovedChat {
  readonly userId: UserId
  readonly bot: string
  readonly visitor: string
  readonly chatId: string
}

/** The data that a store has about a person, for lists of people. */
export interface PartOfPerson {
  readonly userId: string
  readonly tier?: string
  readonly available?: number
  readonly customerId?: string | undefined
  readonly email?: string
  readonly blockedAt?: number | undefined
  readonly notBefore?: number | undefined
}

/** The personal data in one store, for erasures and lists. */
export interface PersonalPart {
  /** Returns true if the person cannot be erased at the moment. */
  readonly isInUse?: (userId: string) => boolean
  /** Returns the people that the store knows. */
  readonly people?: () => ReadonlyArray<PartOfPerson>
  /** Returns the number of records of each kind. */
  readonly count: (userId: string) => { readonly [kind: string]: number }
  /** Removes the records, or transfers them to the pseudonym; `now` is the time in Unix milliseconds. */
  readonly erase: (userId: string, pseudonym: string, now: number) => void
}

/** Restores a table to an earlier state. */
type Restore = () => void

/**
 * The state that the in-memory stores of one process share, so that a unit of work can undo the changes in all of them.
 * Stores that are built together share one state; each of them provides the layer.
 */
export class InMemoryStorage extends Context.Service<
  InMemoryStorage,
  {
    /** Makes a table whose changes units of work can undo. Its values must be replaced, and not changed in place. */
    table<K, V>(): Effect.Effect<Map<K, V>>
    /** Runs a store's method: at once within a unit of work, otherwise when no unit is running. */
    exclusive<A, E, R>(method: Effect.Effect<A, E, R>): Effect.Effect<A, E, R>
    /** Runs a unit of work, as `UnitOfWork.run` does. Units run one at a time. */
    run<A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E | StorageFailed, R>
    /** A number greater than all earlier ones, which orders events. */
    nextMoment(): number
    /** Registers the personal data of a store. */
    addPersonalPart(part: PersonalPart): Effect.Effect<void>
    /** The personal data of all stores. */
    readonly personalParts: ReadonlyArray<PersonalPart>
    /** Registers further removals for the case that a document is removed: its bytes, its passages. */
    onDocumentRemoved(remove: (document: RemovedDocument) => void): Effect.Effect<void>
    /** Reports that a document was removed. */
    documentRemoved(document: RemovedDocument): void
    /** Registers further removals for the case that a chat is removed: its files. */
    onChatRemoved(remove: (chat: RemovedChat) => void): Effect.Effect<void>
    /** Reports that a chat was removed. */
    chatRemoved(chat: RemovedChat): void
    /** Registers the function that writes companions with this tag. */
    onCompanion<C extends Companion>(tag: C["_tag"], write: (companion: C) => void): Effect.Effect<void>
    /** Writes the companion of an operation, within the same exclusive run. */
    writeCompanion<C extends Companion>(companion: C): void
  }
>()("@parley/core/storage/InMemoryStorage") {
  static readonly layer = Layer.effect(
    InMemoryStorage,
    Effect.sync(() => makeInMemoryStorage())
  )
}

let storages = 0

const swallowed = () =>
  new StorageFailed({
    operation: "UnitOfWork.run",
    retryable: false,
    cause: new Error("A part of this unit of work failed, so that the whole was rolled back.")
  })

const snapshot = (tables: ReadonlyArray<Map<unknown, unknown>>): Restore => {
  const before = tables.map((table) => [...table])
  return () => {
    for (const [index, table] of tables.entries()) {
      table.clear()
      for (const [key, value] of before[index] ?? []) table.set(key, value)
    }
  }
}

const joined = <A, E, R>(unit: Unit, work: Effect.Effect<A, E, R>) =>
  Effect.onExit(work, (exit) =>
    Effect.sync(() => {
      unit.doomed ||= Exit.isFailure(exit)
    })
  )

const makeInMemoryStorage = (): InMemoryStorage["Service"] => {
  const Current = Context.Reference<Unit | undefined>(`@parley/core/storage/InMemoryStorage/Unit/${storages++}`, {
    defaultValue: () => undefined
  })
  const turn = Semaphore.makeUnsafe(1)
  let moments = 0
  const tables: Array<Map<unknown, unknown>> = []
  const personalParts: Array<PersonalPart> = []
  const removals: Array<(document: RemovedDocument) => void> = []
  const chatRemovals: Array<(chat: RemovedChat) => void> = []
  const companions = new Map<string, (companion: never) => void>()

  const begin = <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E | StorageFailed, R> =>
    Effect.uninterruptibleMask((restore) =>
      Effect.suspend(() => {
        const undo = snapshot(tables)
        const unit: Unit = { open: true, doomed: false }
        return Effect.flatMap(
          Effect.exit(restore(Effect.provideService(work, Current, unit))),
          (exit): Effect.Effect<A, E | StorageFailed> => {
            unit.open = false
            if (Exit.isSuccess(exit) && !unit.doomed) return exit
            undo()
            return Exit.isSuccess(exit) ? Effect.fail(swallowed()) : exit
          }
        )
      })
    )

  return InMemoryStorage.of({
    nextMoment: () => ++moments,
    table: <K, V>() =>
      Effect.sync(() => {
        const table = new Map<K, V>()
        tables.push(table as Map<unknown, unknown>)
        return table
      }),
    exclusive: (method) =>
      Effect.flatMap(Current, (unit) => (unit?.open === true ? joined(unit, method) : turn.withPermit(method))),
    run: (work) =>
      Effect.flatMap(Current, (unit) => (unit?.open === true ? joined(unit, work) : turn.withPermit(begin(work)))),
    addPersonalPart: (part) => Effect.sync(() => void personalParts.push(part)),
    personalParts,
    onDocumentRemoved: (remove) => Effect.sync(() => void removals.push(remove)),
    documentRemoved: (document) => {
      for (const remove of removals) remove(document)
    },
    onChatRemoved: (remove) => Effect.sync(() => void chatRemovals.push(remove)),
    chatRemoved: (chat) => {
      for (const remove of chatRemovals) remove(chat)
    },
    onCompanion: (tag, write) => Effect.sync(() => void companions.set(tag, write)),
    writeCompanion: (companion) => companions.get(companion._tag)?.(companion as never)
  })
}

/** Units of work over the in-memory stores: if a unit fails, its changes are undone. */
export const InMemoryUnitOfWork = {
  layer: Layer.effect(
    UnitOfWork,
    Effect.map(InMemoryStorage, (storage) =>
      UnitOfWork.of({
        run: (_owner, work) => storage.run(work),
        join: () => Effect.fail(new TransactionNotJoined({ problem: "not-supported" }))
      })
    )
  ).pipe(Layer.provide(InMemoryStorage.layer))
}
