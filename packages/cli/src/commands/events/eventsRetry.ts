import { EventService } from "@parley/core/effect"
import { Effect, Option, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import { checkMigrated } from "../../running/checkMigrated.ts"
import { CommandContext } from "../../running/CommandContext.ts"
import { destinationFlag } from "./destinationFlag.ts"
import { jsonFlag, printResult } from "../../running/output.ts"
import { byFlag, reasonFlag } from "../flags.ts"

const input = {
  event: Flag.String("event").pipe(
    Flag.withDescription("Only this event, as `parley events list` prints it"),
    Flag.withSchema(Schema.String.check(Schema.isPattern(/^evt_\w{1,100}$/))),
    Flag.optional
  ),
  destination: destinationFlag,
  reason: Flag.optional(reasonFlag),
  by: byFlag,
  json: jsonFlag
}

/** `parley events retry` */
export const eventsRetryCommand = Command.make(
  "retry",
  input,
  Effect.fnUntraced(function* ({ by, destination, event, json, reason }) {
    const work = Effect.gen(function* () {
      yield* checkMigrated
      const which = { eventId: Option.getOrUndefined(event), destination: Option.getOrUndefined(destination) }
      const asked = { by, reason: Option.getOrUndefined(reason) }
      const retried = yield* EventService.use((events) => events.retry(which, asked))
      yield* printResult(json, { retried }, [`${retried} deliveries are tried again.`])
    })
    yield* CommandContext.use((context) => context.run(work))
  })
).pipe(
  Command.withDescription(
    "Retry dead events, with as many tries as new ones; this also enables destinations that answered 410"
  ),
  Command.withExamples([
    { command: "parley events retry", description: "Retry all dead events" },
    {
      command: "parley events retry --destination hook:onCharge",
      description: "Retry the dead events of one destination"
    }
  ])
)
