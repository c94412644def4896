import { createParley, type Parley, type ParleyOptions } from "@parley/core"
import { ChatModels } from "@parley/core/adapter"
import { Effect } from "effect"
import { openDatabase } from "../../src/openDatabase.ts"
import { migratedPostgres } from "../databases.ts"

const models = ChatModels.of({ resolve: () => Effect.die("No model is asked.") })
const parser = { parse: () => Effect.die("No document is parsed.") }

/** Several processes on one database: each with connections, a heartbeat and waiting calls of its own, and no background work. */
export const withProcesses = (
  count: number,
  options: Pick<ParleyOptions, "holdTtlMs" | "retention"> & Partial<Pick<ParleyOptions, "models">>,
  use: (processes: ReadonlyArray<Parley>, url: string) => Promise<void>
): Promise<void> =>
  Effect.runPromise(
    Effect.scoped(
      Effect.flatMap(migratedPostgres, (url) =>
        Effect.promise(async () => {
          const ends: Array<() => Promise<void>> = []
          const open = async (): Promise<Parley> => {
            const database = await openDatabase({ url, maxConnections: 3 })
            ends.unshift(() => database.close())
            const parley = await createParley({ ...database, models, parser, ...options, work: false })
            ends.unshift(() => parley.close())
            return parley
          }
          try {
            const first = await open()
            await use([first, ...(await Promise.all(Array.from({ length: count - 1 }, open)))], url)
          } finally {
            for (const end of ends) await end()
          }
        })
      )
    )
  )

export const tagOf = (error: unknown): unknown => (error as { readonly _tag?: unknown })._tag

/** Asks again while the failure is one of those that pass. */
export const patiently = async <A>(ask: () => Promise<A>, passing: ReadonlyArray<string>): Promise<A> => {
  for (;;) {
    try {
      return await ask()
    } catch (error) {
      if (!passing.includes(String(tagOf(error)))) throw error
    }
  }
}
