import { Context, Effect, Layer } from "effect"
import { isUserId, type UserId } from "../../src/identity/UserId.ts"
import {
  inMemoryStorageLayer,
  openStorageLayer,
  type StoragePorts,
  storagePortsFromContext
} from "../../src/StoragePorts.ts"
import { type Reach, storageReach } from "../../src/storageReach.ts"

/** The owner of the unit of work in which a call runs. */
const UnitOwner = Context.Reference<UserId | undefined>("UnitOwner", { defaultValue: () => undefined })

type Rule = Reach<ReadonlyArray<unknown>>
type Method = (...args: ReadonlyArray<unknown>) => unknown

const rules = storageReach as unknown as Readonly<Record<string, Readonly<Record<string, Rule>>>>

/** The people whose rows a call reaches by its rule; undefined if the rule finds none. */
const ownersOf = (rule: Rule, args: ReadonlyArray<unknown>): ReadonlyArray<UserId> | undefined => {
  if (typeof rule === "string" || "subjects" in rule) return undefined
  if ("owners" in rule) return rule.owners(...args)
  const owner = rule.owner?.(...args)
  return owner === undefined ? undefined : [owner]
}

/** The fields that name the person of a row. */
const PERSON_FIELDS: ReadonlySet<string> = new Set(["userId", "owner", "account", "botOwner", "person"])

/** A person's digest is no person's id. */
const isDigest = (text: string): boolean => /^[0-9a-f]{64}$/.test(text)

/** The people in the fields of a value, other than `owners`. */
const strangersIn = (value: unknown, owners: ReadonlyArray<UserId>, depth = 0): ReadonlyArray<string> => {
  if (typeof value !== "object" || value === null || depth > 6 || Effect.isEffect(value)) return []
  if (value instanceof Uint8Array) return []
  const values = value instanceof Map ? [...value.entries()].flat() : Object.values(value)
  const own = Object.entries(value).flatMap(([field, person]) =>
    PERSON_FIELDS.has(field) && typeof person === "string" && !isDigest(person) && !owners.includes(person)
      ? [field]
      : []
  )
  return [...own, ...values.flatMap((each) => strangersIn(each, owners, depth + 1))]
}

/** The calls of ports by owner, as a watched storage saw them. */
export class Watch {
  /** The methods that were called, as `port.method`. */
  readonly called = new Set<string>()
  /** Calls that reached rows of others than the owner that their rule finds. */
  readonly found = new Set<string>()

  /** Every store in memory, watched. */
  readonly layer = Layer.unwrap(
    Effect.map(storagePortsFromContext, (stores) => openStorageLayer(this.#watched(stores)))
  ).pipe(Layer.provide(inMemoryStorageLayer))

  #watched(stores: StoragePorts): StoragePorts {
    const watched = Object.entries(stores).map(([port, service]) => {
      const methods = Object.entries(service as object).map(([name, member]) => [
        name,
        typeof member === "function" ? this.#method(port, name, member as Method) : member
      ])
      return [port, Object.fromEntries(methods)]
    })
    return Object.fromEntries(watched) as StoragePorts
  }

  #method(port: string, name: string, method: Method): Method {
    const rule = rules[port]?.[name] ?? "global"
    const call = `${port}.${name}`
    return (...args) => {
      this.called.add(call)
      const owners = ownersOf(rule, args)
      if (owners === undefined) return method(...args)
      if (!owners.every(isUserId)) this.found.add(`${call}: no owner`)
      for (const field of strangersIn(args, owners)) this.found.add(`${call}: ${field} in its arguments`)
      const running = method(...args)
      if (!Effect.isEffect(running)) return running
      const checked = Effect.tap(running, (result) =>
        Effect.sync(() => {
          for (const field of strangersIn(result, owners)) this.found.add(`${call}: ${field} in its result`)
        })
      )
      const begun = Effect.flatMap(UnitOwner, (unit) => {
        if (unit !== undefined && owners.some((owner) => owner !== unit)) this.found.add(`${call}: in another's unit`)
        return checked
      })
      return port === "unitOfWork" ? Effect.flatMap(UnitOwner, (unit) => inUnit(running, args, unit, begun)) : begun
    }
  }
}

/** The work of a unit runs with its owner; that of a unit within another one is the outer one's. */
const inUnit = (
  running: Effect.Effect<unknown, unknown, unknown>,
  [owner]: ReadonlyArray<unknown>,
  unit: UserId | undefined,
  within: Effect.Effect<unknown, unknown, unknown>
) => (unit === undefined ? Effect.provideService(running, UnitOwner, owner as UserId) : within)
