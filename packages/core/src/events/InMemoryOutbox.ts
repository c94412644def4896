import { Clock, Effect, Layer } from "effect"
import { IdGenerator } from "../storage/storedForms.ts"
import { InMemoryStorage } from "../storage/InMemoryStorage.ts"
import {
  InMemoryEventLog,
  type KeptDelivery,
  type KeptDestination,
  type KeptThreshold,
  keyOfDelivery
} from "./InMemoryEventLog.ts"
import {
  type ClaimedDelivery,
  type ConcludeDeliveryInput,
  type DeliveryRecord,
  type Destination,
  DeliveryRecords,
  FEED,
  feedCursor,
  feedPlace,
  FORGET_DESTINATION_MS,
  FORGET_TYPE_MS,
  KEEP_DEAD_MS,
  KEEP_DELIVERED_MS,
  type LowBelow,
  Outbox,
  type RetryDeliveriesInput
} from "./Outbox.ts"
import { eventOf } from "./ParleyEvent.ts"

const recordOf = ({ at, id, ...kept }: KeptDelivery): DeliveryRecord => ({
  eventId: id,
  type: kept.type,
  account: kept.account,
  destination: kept.destination,
  state: kept.state,
  tries: kept.tries,
  createdAt: at,
  dueAt: kept.state === "pending" ? kept.dueAt : undefined,
  endedAt: kept.endedAt,
  reason: kept.reason
})

const concluded = (kept: KeptDelivery, { delivery, outcome }: ConcludeDeliveryInput, now: number): KeptDelivery => {
  if (kept.state !== "pending" || kept.account !== delivery.owner) return kept
  const free = { ...kept, claim: undefined }
  if (outcome._tag === "Delivered") return { ...free, state: "delivered", endedAt: now, reason: undefined }
  if (kept.claim !== delivery.claim) return kept
  return outcome._tag === "Retry"
    ? { ...free, dueAt: now + outcome.afterMs, reason: outcome.reason }
    : { ...free, state: "dead", endedAt: now, reason: outcome.reason }
}

/** Returns the thresholds that processes have requested recently, including those requested at `now`. */
const thresholdsAfter = (
  before: ReadonlyArray<KeptThreshold> = [],
  lowBelow: LowBelow = {},
  now: number
): ReadonlyArray<KeptThreshold> => {
  const asked = Object.entries(lowBelow).map(([tier, credits]) => ({ tier, credits, askedAt: now }))
  const others = before.filter(
    ({ askedAt, credits, tier }) => askedAt >= now - FORGET_TYPE_MS && lowBelow[tier] !== credits
  )
  return [...others, ...asked]
}

/** Returns true if a delivery comes after this position in the order of event ids and destinations. */
const isBehind = (kept: KeptDelivery, place: { readonly eventId: string; readonly destination: string }): boolean =>
  kept.id > place.eventId || (kept.id === place.eventId && kept.destination > place.destination)

/** Returns a destination after a process has subscribed it at `now`. */
const subscribed = (
  known: KeptDestination | undefined,
  { id, types }: Destination,
  lowBelow: LowBelow | undefined,
  now: number
): KeptDestination => {
  const others = [...(known?.askedAt ?? [])].filter(([, at]) => at >= now - FORGET_TYPE_MS)
  return {
    id,
    askedAt: new Map([...others, ...types.map((type) => [type, now] as const)]),
    disabledAt: known?.disabledAt,
    thresholds: thresholdsAfter(known?.thresholds, types.includes("balance.low") ? lowBelow : undefined, now),
    seenAt: now
  }
}

/** Returns true for a dead delivery that the input selects. */
const isRetried =
  ({ destination, eventId }: RetryDeliveriesInput) =>
  (kept: KeptDelivery): boolean =>
    kept.state === "dead" && (eventId ?? kept.id) === kept.id && (destination ?? kept.destination) === kept.destination

/**
 * Returns true for a delivery whose retention has ended at `now`. `served` contains the destinations that are not
 * disabled.
 */
const isOver = (
  { destination, dueAt, endedAt = dueAt, state }: KeptDelivery,
  served: ReadonlySet<string>,
  now: number
) => {
  const keptMs = { delivered: KEEP_DELIVERED_MS, dead: KEEP_DEAD_MS, pending: FORGET_DESTINATION_MS }
  return endedAt < now - keptMs[state] && !(state === "pending" && destination !== FEED && served.has(destination))
}

/** Makes the tables of the log, and the functions with which both ports read and change them. */
const makeTables = Effect.gen(function* () {
  const storage = yield* InMemoryStorage
  const { deliveries, destinations, tell } = yield* InMemoryEventLog
  return {
    tell,
    deliveries,
    destinations,
    atNow: <A>(work: (now: number) => A) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => storage.exclusive(Effect.sync(() => work(now)))),
    change: (keys: ReadonlyArray<string>, to: (kept: KeptDelivery) => KeptDelivery): void => {
      for (const key of keys) {
        const kept = deliveries.get(key)
        if (kept !== undefined) deliveries.set(key, to(kept))
      }
    },
    keysWhere: (is: (kept: KeptDelivery) => boolean): ReadonlyArray<string> =>
      [...deliveries].filter(([, kept]) => is(kept)).map(([key]) => key)
  }
})

const makeOutbox = Effect.gen(function* () {
  const { atNow, change, deliveries, destinations, keysWhere, tell } = yield* makeTables
  const ids = yield* IdGenerator

  return Outbox.of({
    subscribe: ({ destinations: served, lowBelow }) =>
      atNow((now) => {
        if (lowBelow !== undefined && served.some(({ types }) => types.includes("balance.low"))) {
          // A destination that no process serves any more loses its thresholds.
          for (const kept of [...destinations.values()]) {
            if (kept.seenAt < now - FORGET_TYPE_MS) destinations.set(kept.id, { ...kept, thresholds: [] })
          }
        }
        for (const each of served) destinations.set(each.id, subscribed(destinations.get(each.id), each, lowBelow, now))
      }),
    publish: (draft) => atNow(() => tell(draft)),
    claim: ({ destination, leaseMs, limit }) =>
      Effect.flatMap(ids.next, (claim) =>
        atNow((now): ReadonlyArray<ClaimedDelivery> => {
          if (destinations.get(destination)?.disabledAt !== undefined) return []
          const due = [...deliveries.values()]
            .filter((kept) => kept.destination === destination && kept.state === "pending" && kept.dueAt <= now)
            .toSorted((a, b) => a.dueAt - b.dueAt)
            .slice(0, limit)
            .map((kept) => ({ ...kept, tries: kept.tries + 1, dueAt: now + leaseMs, claim }))
          for (const kept of due) deliveries.set(keyOfDelivery(kept.id, destination), kept)
          return due.map((kept) => ({ owner: kept.account, event: eventOf(kept), tries: kept.tries, claim }))
        })
      ),
    conclude: (input) =>
      atNow((now) =>
        change([keyOfDelivery(input.delivery.event.id, input.destination)], (kept) => concluded(kept, input, now))
      ),
    disable: (destination) =>
      atNow((now) => {
        const known = destinations.get(destination)
        if (known !== undefined) destinations.set(destination, { ...known, disabledAt: known.disabledAt ?? now })
        change(
          keysWhere((kept) => kept.destination === destination && kept.state === "pending"),
          (kept) => ({ ...kept, state: "dead", endedAt: now, claim: undefined, reason: "gone" })
        )
      }),
    prune: ({ limit }) =>
      atNow((now) => {
        for (const { id, seenAt } of destinations.values()) {
          if (seenAt < now - FORGET_DESTINATION_MS) destinations.delete(id)
        }
        const served = new Set(
          [...destinations.values()].filter(({ disabledAt }) => disabledAt === undefined).map(({ id }) => id)
        )
        const old = keysWhere((kept) => isOver(kept, served, now)).slice(0, limit)
        for (const key of old) deliveries.delete(key)
        return old.length
      })
  })
})

type Tables = Effect.Success<typeof makeTables>

const feedOf =
  (deliveries: Tables["deliveries"], atNow: Tables["atNow"]): DeliveryRecords["Service"]["feed"] =>
  ({ after, limit }) =>
    Effect.flatMap(feedPlace(after), (from) =>
      atNow(() => {
        const found = [...deliveries.values()]
          .filter(({ destination, place }) => destination === FEED && place > from)
          .toSorted((a, b) => a.place - b.place)
          .slice(0, limit)
        return { events: found.map(eventOf), next: feedCursor(found.at(-1)?.place ?? from) }
      })
    )

const makeRecords = Effect.gen(function* () {
  const { atNow, change, deliveries, destinations, keysWhere } = yield* makeTables
  const countOf = (destination: string, state: KeptDelivery["state"]) =>
    keysWhere((kept) => kept.destination === destination && kept.state === state).length
  const oldestOf = (destination: string, now: number): number | undefined => {
    const waiting = [...deliveries.values()].filter(
      (kept) => kept.destination === destination && kept.state === "pending"
    )
    return waiting.length === 0 ? undefined : now - Math.min(...waiting.map(({ at }) => at))
  }

  return DeliveryRecords.of({
    list: ({ destination, limit, state }) =>
      atNow(() =>
        [...deliveries.values()]
          .filter((kept) => (state ?? kept.state) === kept.state)
          .filter((kept) => (destination ?? kept.destination) === kept.destination)
          .toReversed()
          .toSorted((a, b) => b.at - a.at)
          .slice(0, limit)
          .map(recordOf)
      ),
    ofAccount: ({ account, after, limit }) =>
      atNow(() =>
        [...deliveries.values()]
          .filter((kept) => kept.account === account && (after === undefined || isBehind(kept, after)))
          .toSorted((a, b) => (isBehind(a, { eventId: b.id, destination: b.destination }) ? 1 : -1))
          .slice(0, limit)
          .map((kept) => ({ event: eventOf(kept), destination: kept.destination, state: kept.state }))
      ),
    feed: feedOf(deliveries, atNow),
    destinations: atNow((now) =>
      [...destinations.values()]
        .toSorted((a, b) => (a.id < b.id ? -1 : 1))
        .map(({ askedAt, disabledAt, id, seenAt }) => ({
          ...{ id, types: [...askedAt.keys()].toSorted(), seenAt, disabledAt },
          pending: countOf(id, "pending"),
          dead: countOf(id, "dead"),
          oldestMs: oldestOf(id, now)
        }))
    ),
    retry: (which) =>
      atNow((now) => {
        const keys = keysWhere((kept) => isRetried(which)(kept) && destinations.has(kept.destination))
        const told = new Set(keys.map((key) => deliveries.get(key)?.destination))
        for (const kept of destinations.values()) {
          const isAsked = which.eventId === undefined && (which.destination ?? kept.id) === kept.id
          if (isAsked || told.has(kept.id)) destinations.set(kept.id, { ...kept, disabledAt: undefined })
        }
        change(keys, (kept) => ({ ...kept, state: "pending", tries: 0, dueAt: now, endedAt: undefined }))
        return keys.length
      })
  })
})

/** The outbox in the memory of one process. */
export const InMemoryOutbox = {
  layer: Layer.mergeAll(Layer.effect(Outbox, makeOutbox), Layer.effect(DeliveryRecords, makeRecords)).pipe(
    Layer.provide(Layer.mergeAll(InMemoryStorage.layer, InMemoryEventLog.layer))
  )
}
