import { EVENT_STATES } from "@parley/core/adapter"
import { UserId } from "@parley/core"
import { Cursor, PaymentEventStore } from "@parley/core/adapter"
import { Effect, Option, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import { checkMigrated } from "../../running/checkMigrated.ts"
import { CommandContext } from "../../running/CommandContext.ts"
import { eventRow } from "./storedEvent.ts"
import { jsonFlag, printResult, table } from "../../running/output.ts"

const input = {
  state: Flag.Literals("state", EVENT_STATES).pipe(
    Flag.withDescription(`Only events in this state: ${EVENT_STATES.join(", ")}`),
    Flag.optional
  ),
  user: Flag.String("user").pipe(
    Flag.withDescription("Only this person's events"),
    Flag.withSchema(UserId),
    Flag.optional
  ),
  limit: Flag.Int("limit").pipe(
    Flag.withDescription("Maximum number, 1 to 200 (50)"),
    Flag.withSchema(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 200 }))),
    Flag.withDefault(50)
  ),
  before: Flag.String("before").pipe(
    Flag.withDescription("The `next` of the previous page"),
    Flag.withSchema(Cursor),
    Flag.optional
  ),
  json: jsonFlag
}

/** `parley billing list` */
export const billingListCommand = Command.make(
  "list",
  input,
  Effect.fnUntraced(function* ({ before, json, limit, state, user }) {
    const work = Effect.gen(function* () {
      yield* checkMigrated
      const page = yield* PaymentEventStore.use((store) =>
        store.list({
          state: Option.getOrUndefined(state),
          userId: Option.getOrUndefined(user),
          after: Option.getOrUndefined(before),
          limit
        })
      )
      const events = page.rows.map(eventRow)
      const lines = table(
        ["id", "kind", "state", "user", "received", "note"],
        events.map((event) => [event.id, event.kind, event.state, event.user ?? "", event.receivedAt, event.note])
      )
      const more = page.next === undefined ? [] : [`There are more: --before ${page.next}`]
      yield* printResult(json, { events, next: page.next ?? null }, [...lines, ...more])
    })
    yield* CommandContext.use((context) => context.run(work))
  })
).pipe(
  Command.withDescription("List the payment provider's events, last received first"),
  Command.withExamples([
    {
      command: "parley billing list --state refused",
      description: "The events that the ledger or the catalog refused"
    },
    { command: "parley billing list --user user-1 --json", description: "The events of one person" }
  ])
)
