import type { StoragePorts } from "@parley/core"
import { type Merge, type Reach, storageReach, type Take } from "@parley/core/adapter"
import { Effect, Semaphore } from "effect"
import { byOwner, unitsByOwner } from "./byOwner.ts"
import { byOwners } from "./byOwners.ts"
import { addBotKey, findBotByKey, insertBot, removeBot, retireBotKey } from "./botKeys.ts"
import { adoptCustomers, linkCustomer, ownerOfReferences } from "./customers.ts"
import type { Directory } from "../directory/Directory.ts"
import { type CellMarks, NO_MARKS } from "./cellMarks.ts"
import { orders } from "../merging/orders.ts"
import { overAll } from "../merging/overAll.ts"
import {
  accessSince,
  claimsInTurn,
  destinations,
  missingTiers,
  registrations,
  workState
} from "../merging/ownMerges.ts"
import { pagesOverAll } from "../merging/pagesOverAll.ts"
import {
  applyEventAtOnce,
  concludeEvent,
  findEvents,
  forgetEvents,
  keepEvent,
  receiveEvent,
  strandedEvents
} from "./paymentEvents.ts"
import { erasePerson, listPeople } from "./people.ts"
import { dueOverAll, resetInItsCell } from "../merging/resetsOverAll.ts"
import { type Args, type Call, callOf, type Method, type Place, type Routes } from "./Routes.ts"
import type { SharedRows } from "../global/sharedRows.ts"
import { workOverAll } from "../merging/workOverAll.ts"

/** A rule of `storageReach`, for arguments of any type. */
type Rule =
  | { readonly owner: (...args: Args) => string }
  | {
      readonly owners: (...args: Args) => ReadonlyArray<string>
      readonly take: (take: Take, ...args: Args) => Args
      readonly merge: Merge
    }
  | { readonly each: Merge; readonly owner?: (...args: Args) => string | undefined }
  | Exclude<Reach<Args>, { readonly owner: unknown } | { readonly owners: unknown } | { readonly each: unknown }>

const rules = storageReach as unknown as Readonly<Record<string, Readonly<Record<string, Rule>>>>

const limitIn = (first: unknown): number => (first as { readonly limit: number }).limit

const ordered = (routes: Routes, call: Call): Method => (orders[call.name] ?? pagesOverAll)(routes, call)

/** An import fails if a cell does not answer. */
const ADOPTION = Object.assign({}, storageReach.billing.adopt, { merge: "rows" }) as Parameters<typeof byOwners>[2]

/** The methods that the table of rules does not suffice for. */
const special: Readonly<Record<string, (routes: Routes, call: Call) => unknown>> = {
  "unitOfWork.run": unitsByOwner,
  "unitOfWork.join": unitsByOwner,
  "ledger.recall": ({ cells, directory, only }) => {
    const recall = (userId: string) => {
      const cell = only?.name ?? directory.known(userId)
      return cell === undefined ? undefined : cells.get(cell)?.stores.ledger.recall(userId as never)
    }
    return recall
  },
  "jobs.work": workOverAll,
  "workers.state": workState,
  "deliveryRecords.destinations": destinations,
  "access.since": accessSince,
  "outbox.subscribe": registrations,
  "outbox.claim": (routes, call) => claimsInTurn(routes, call, limitIn),
  "billingUpkeep.stranded": (routes, call) => strandedEvents(routes, claimsInTurn(routes, call, Number)),
  "billingUpkeep.forget": (routes, call) => forgetEvents(routes, overAll(routes, call, "sum")),
  "creditUpkeep.missingTiers": missingTiers,
  "creditUpkeep.due": dueOverAll,
  "creditUpkeep.reset": resetInItsCell,
  "personalData.erase": erasePerson,
  "personalData.list": (routes, call) => listPeople(routes, ordered(routes, call)),
  "billing.ownerOf": ownerOfReferences,
  "billing.link": linkCustomer,
  "billing.adopt": (routes, call) => adoptCustomers(routes, call, (one) => byOwners(routes, one, ADOPTION)),
  "paymentEvents.receive": receiveEvent,
  "paymentEvents.applyAtOnce": applyEventAtOnce,
  "paymentEvents.conclude": concludeEvent,
  "paymentEvents.keep": keepEvent,
  "paymentEvents.find": findEvents,
  "bots.insert": insertBot,
  "bots.addKey": addBotKey,
  "bots.retireKey": retireBotKey,
  "bots.remove": removeBot,
  "publishedBots.findByKey": findBotByKey
}

const toGlobal =
  ({ global }: Routes, call: Call): Method =>
  (...args) =>
    call.run(global, args)

const methodBy = (routes: Routes, call: Call, rule: Rule): Method => {
  // Counts under one name have to be in one place: the global database has them.
  if (rule === "global" || "subjects" in rule) return toGlobal(routes, call)
  if ("owners" in rule) return byOwners(routes, call, rule)
  if (!("each" in rule)) return byOwner(routes, call, rule.owner)
  const merged = rule.each === "pages" ? ordered(routes, call) : overAll(routes, call, rule.each)
  const { owner } = rule
  if (owner === undefined) return merged
  return (...args) => {
    const person = owner(...args)
    return person === undefined ? merged(...args) : byOwner(routes, call, () => person)(...args)
  }
}

/** The member of a port as `sample` has it: a method, an effect, or a value. */
const routed = (routes: Routes, call: Call, rule: Rule, sample: unknown): unknown => {
  const own = special[call.name]
  if (own !== undefined) return own(routes, call)
  if (typeof sample === "function") return methodBy(routes, call, rule)
  if (!Effect.isEffect(sample)) return sample
  return Effect.suspend(() => methodBy(routes, call, rule)())
}

/**
 * Stores over several databases, by the table of rules of `storageReach`. `global` has the rows that all people share; it
 * may be the stores of a cell. `shared` has the names by which payment events and visitors find their owner. `marks` ask
 * a cell for an owner before an empty or negative answer is believed.
 */
export const routeStores = (
  cells: ReadonlyMap<string, StoragePorts>,
  directory: Directory,
  global: StoragePorts,
  shared: SharedRows,
  marks: CellMarks = NO_MARKS
): StoragePorts => {
  const places = new Map([...cells].map(([name, stores]) => [name, { name, stores }]))
  const ofCell = [...places.values()].find(({ stores }) => stores === global)
  const globalPlace = ofCell ?? { name: "global", stores: global }
  const everywhere = ofCell === undefined ? [...places.values(), globalPlace] : [...places.values()]
  const only = places.size === 1 ? everywhere.find(({ name }) => places.has(name)) : undefined
  const takesPart = (place: Place) => place === globalPlace || place === only || directory.hasJoined(place.name)
  const all = Effect.suspend(() =>
    everywhere.every(takesPart)
      ? Effect.succeed(everywhere)
      : Effect.map(directory.catchUp, () => everywhere.filter(takesPart))
  )
  const routes: Routes = {
    directory,
    cells: places,
    only,
    global: globalPlace,
    all,
    shared,
    marks,
    unowned: Semaphore.makeUnsafe(1)
  }
  const ports = Object.entries(global).map(([port, service]) => {
    const members = Object.entries(service as object).map(([name, sample]) => [
      name,
      routed(routes, callOf(port, name), rules[port]?.[name] ?? "global", sample)
    ])
    return [port, Object.fromEntries(members)]
  })
  return Object.fromEntries(ports) as StoragePorts
}
