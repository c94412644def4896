import { DELIVERY_STATES, type DeliveryRecord, DeliveryRecords, type DestinationRecord } from "@parley/core/adapter"
import { Effect, Option, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import { checkMigrated } from "../../running/checkMigrated.ts"
import { CommandContext } from "../../running/CommandContext.ts"
import { destinationFlag } from "./destinationFlag.ts"
import { jsonFlag, printResult, table } from "../../running/output.ts"

const input = {
  state: Flag.Literals("state", DELIVERY_STATES).pipe(
    Flag.withDescription(`Only events in this state: ${DELIVERY_STATES.join(", ")}`),
    Flag.optional
  ),
  destination: destinationFlag,
  limit: Flag.Int("limit").pipe(
    Flag.withDescription("Number of the newest, 1 to 1000 (50)"),
    Flag.withSchema(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1_000 }))),
    Flag.withDefault(50)
  ),
  json: jsonFlag
}

const moment = (milliseconds: number | undefined): string | null =>
  milliseconds === undefined ? null : new Date(milliseconds).toISOString()

const rowOf = ({ createdAt, dueAt, endedAt, eventId, ...record }: DeliveryRecord) => ({
  event: eventId,
  type: record.type,
  account: record.account,
  destination: record.destination,
  state: record.state,
  tries: record.tries,
  reason: record.reason ?? null,
  createdAt: moment(createdAt),
  dueAt: moment(dueAt),
  endedAt: moment(endedAt)
})

const destinationRow = ({ dead, disabledAt, id, pending, seenAt, types }: DestinationRecord) => ({
  id,
  types,
  pending,
  dead,
  seenAt: moment(seenAt),
  disabledAt: moment(disabledAt)
})

/** `parley events list` */
export const eventsListCommand = Command.make(
  "list",
  input,
  Effect.fnUntraced(function* ({ destination, json, limit, state }) {
    const work = Effect.gen(function* () {
      yield* checkMigrated
      const deliveries = yield* DeliveryRecords
      const only = Option.getOrUndefined(destination)
      const found = yield* deliveries.list({ state: Option.getOrUndefined(state), destination: only, limit })
      const destinations = (yield* deliveries.destinations)
        .filter(({ id }) => (only ?? id) === id)
        .map((each) => destinationRow(each))
      const events = found.map(rowOf)
      const lines = [
        ...table(
          ["destination", "is told of", "pending", "dead", "served last", "wants nothing since"],
          destinations.map((row) => [
            row.id,
            row.types.join(" "),
            row.pending,
            row.dead,
            row.seenAt ?? "",
            row.disabledAt ?? ""
          ])
        ),
        "",
        ...table(
          ["event", "type", "account", "destination", "state", "tries", "reason", "happened"],
          events.map((row) => [
            row.event,
            row.type,
            row.account,
            row.destination,
            row.state,
            row.tries,
            row.reason ?? "",
            row.createdAt ?? ""
          ])
        )
      ]
      yield* printResult(json, { destinations, events }, lines)
    })
    yield* CommandContext.use((context) => context.run(work))
  })
).pipe(
  Command.withDescription(
    "List the events for hooks and webhooks, newest first: delivered ones for a day, dead ones for thirty days"
  ),
  Command.withExamples([
    { command: "parley events list", description: "The destinations, and the newest events on their way to them" },
    { command: "parley events list --state dead --json", description: "The undeliverable events, for programs" }
  ])
)
