import { PaymentEventNotFound } from "@parley/core/adapter"
import { PaymentEventStore } from "@parley/core/adapter"
import { Effect } from "effect"
import { Command } from "effect/cli"
import { checkMigrated } from "../../running/checkMigrated.ts"
import { CommandContext } from "../../running/CommandContext.ts"
import { eventArgument, eventRow } from "./storedEvent.ts"
import { jsonFlag, printResult, table } from "../../running/output.ts"

/** `parley billing show <event>` */
export const billingShowCommand = Command.make(
  "show",
  { event: eventArgument, json: jsonFlag },
  Effect.fnUntraced(function* ({ event, json }) {
    const work = Effect.gen(function* () {
      yield* checkMigrated
      const [found] = yield* PaymentEventStore.use((store) => store.find([event]))
      if (found === undefined) return yield* new PaymentEventNotFound({ eventId: event })
      const row = eventRow(found)
      const payload = found.payload ?? null
      const lines = table(
        ["what", "is"],
        Object.entries(row).map(([name, value]) => [name, value ?? ""])
      )
      yield* printResult(json, { ...row, payload }, [...lines, "", payload ?? "Its content is kept no more."])
    })
    yield* CommandContext.use((context) => context.run(work))
  })
).pipe(
  Command.withDescription("Show an event as it was received, and its outcome"),
  Command.withExamples([
    { command: "parley billing show evt_1AbC", description: "The event, its outcome and its effects" }
  ])
)
