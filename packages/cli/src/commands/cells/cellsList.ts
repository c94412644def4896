import { Effect } from "effect"
import { Command } from "effect/cli"
import { CommandContext } from "../../running/CommandContext.ts"
import { jsonFlag, printResult, table } from "../../running/output.ts"
import { requireCells } from "./cellInputs.ts"

const DATABASE = { ready: "ready", absent: "not ready", copy: "copy", unset: "not in PARLEY_CELLS" }
const STATE = { open: "open", draining: "draining", unknown: "not added" }

/** `parley cells list` */
export const cellsListCommand = Command.make(
  "list",
  { json: jsonFlag },
  Effect.fnUntraced(function* ({ json }) {
    const work = Effect.gen(function* () {
      yield* requireCells
      const { listCells } = yield* Effect.promise(() => import("@parley/adapters-db"))
      const cells = yield* listCells
      const rows = cells.map(({ buckets, database, name, placements, state }) => [
        name,
        STATE[state],
        buckets,
        placements,
        DATABASE[database]
      ])
      yield* printResult(json, { cells }, table(["cell", "state", "buckets", "single owners", "database"], rows))
    })
    yield* CommandContext.use((context) => context.run(work))
  })
).pipe(
  Command.withDescription("List the cells with their state, their buckets, and whether their databases answer"),
  Command.withExamples([{ command: "parley cells list --json", description: "For programs" }])
)
