import { PaymentInbox } from "@parley/core/effect"
import { AuditLog } from "@parley/core/adapter"
import { Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { exitCodes } from "../../exitCodes.ts"
import { checkMigrated } from "../../running/checkMigrated.ts"
import { Unhealthy } from "../../running/commandErrors.ts"
import { CommandContext } from "../../running/CommandContext.ts"
import { eventArgument } from "./storedEvent.ts"
import { jsonFlag, printResult } from "../../running/output.ts"
import { byFlag, reasonFlag } from "../flags.ts"

/** `parley billing replay <event>` */
export const billingReplayCommand = Command.make(
  "replay",
  { event: eventArgument, reason: Flag.optional(reasonFlag), by: byFlag, json: jsonFlag },
  Effect.fnUntraced(function* ({ by, event, json, reason }) {
    const work = Effect.gen(function* () {
      yield* checkMigrated
      const why = Option.getOrUndefined(reason)
      yield* AuditLog.use((log) =>
        log.record({ action: "billing replay", by, userId: undefined, reason: why, details: event })
      )
      const handled = yield* PaymentInbox.use((inbox) => inbox.replay(event))
      const { id, kind, note, state } = handled
      yield* printResult(json, handled, [`${id} (${kind}) is ${state}: ${note}.`])
      if (state === "refused" || state === "unreadable") return yield* new Unhealthy({ exit: exitCodes.refused })
    })
    yield* CommandContext.use((context) => context.run(work))
  })
).pipe(
  Command.withDescription("Apply a stored event again; nothing is granted or taken twice"),
  Command.withExamples([
    { command: "parley billing replay evt_1AbC", description: "After its price was added to the catalog, for example" }
  ])
)
