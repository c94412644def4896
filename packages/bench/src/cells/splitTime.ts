import { cellsLayer, openCells, splitNamed } from "@parley/adapters-db"
import { Effect } from "effect"
import pg from "pg"
import { machineFacts } from "../measuring/machineFacts.ts"
import { createDueAccounts } from "../reset/dueAccounts.ts"

/**
 * Splits the database of the first url, with `people` accounts, to that of the second, which is a streaming replica of it.
 * Prints the seconds for which half of the people could not write, by steps. Both databases are used up afterwards.
 */
export const measureSplit = async (people: number, primary: string, replica: string): Promise<void> => {
  const options = { global: "a", cells: { a: { url: primary }, b: { url: replica } } }
  const opened = await openCells(options)
  await opened.close()
  const admin = new pg.Client({ connectionString: primary })
  await admin.connect()
  await createDueAccounts(admin, people)
  const steps: Array<readonly [string, number]> = []
  const onStep = (step: string) => Effect.sync(() => void steps.push([step, performance.now()]))
  const nothing = Effect.void
  const splitting = splitNamed({
    from: "a",
    to: "b",
    buckets: undefined,
    dryRun: false,
    onBegin: nothing,
    onWait: nothing,
    onStep
  })
  const facts = await Effect.runPromise(Effect.provide(splitting, cellsLayer(options)))
  console.log(`${await machineFacts(admin)}\n${people} people, of whom ${facts.people} go along`)
  await admin.end()
  const began = steps.find(([step]) => step === "noted")?.[1] ?? 0
  for (const [step, at] of steps) console.log(`${step.padEnd(10)} ${((at - began) / 1_000).toFixed(2).padStart(8)} s`)
}
