import { type BillingAccount, type Linked, type LinkInput, NO_PERSON, type Owner } from "@parley/core/adapter"
import { Effect } from "effect"
import { customerReference, ERASED_OWNER } from "../global/paymentDirectory.ts"
import { askGlobal, askIn } from "./askGlobal.ts"
import { withUnit } from "./byOwner.ts"
import { allWaiting } from "./paymentEvents.ts"
import { type Call, callOf, type Method, type Place, type Routes } from "./Routes.ts"

const pin = callOf("billing", "pin")

/** The owner of a reference, by the claims. */
export const ownerOfReferences =
  (routes: Routes): Method =>
  (...args) => {
    const [references, claimed] = args as readonly [ReadonlyArray<string>, string | undefined]
    const asked = routes.shared.payments.ownerOf(references, claimed)
    return Effect.map(askGlobal(routes, "BillingStore.ownerOf", asked), (owner): Owner | undefined =>
      owner === undefined ? undefined : { userId: owner === ERASED_OWNER ? undefined : owner }
    )
  }

/**
 * Claims a customer for a person, and then links it in the person's cell. The person's payments are locked meanwhile, so
 * that no customer is claimed that the cell refuses.
 */
export const linkCustomer =
  (routes: Routes, call: Call): Method =>
  (arg) => {
    const input = arg as LinkInput
    const { customerId, replaces, userId } = input
    return withUnit(routes, userId, (unit) =>
      Effect.gen(function* () {
        const asked = { userId, pinned: undefined, followed: undefined }
        const { customerId: current } = (yield* pin.run(unit.place, [asked])) as BillingAccount
        if (current !== undefined && current !== replaces) return { customerId: current, waiting: [] }
        const claiming = routes.shared.payments.claim([{ userId, references: [customerReference(customerId)] }])
        const { granted, waiting } = yield* askGlobal(routes, "BillingStore.link", claiming)
        if (granted.length === 0) return { customerId: undefined, waiting: [] }
        const linked = (yield* call.run(unit.place, [input])) as Linked
        return { ...linked, waiting: allWaiting(unit, linked.waiting, waiting) }
      })
    )
  }

interface Adoption {
  readonly userId: string
  readonly customerId: string
  readonly importedAt: number
}

interface Adopted {
  readonly refused: ReadonlyMap<string, string | undefined>
  readonly waiting: ReadonlyArray<string>
}

type Found = Adopted | ReadonlyArray<Adopted>

/** True if a customer belongs to the person, or to none. */
const isOwn = (owners: ReadonlyMap<string, string>, { customerId, userId }: Adoption): boolean =>
  (owners.get(customerReference(customerId)) ?? userId) === userId

/** The results of several cells, or of one. */
const joined = (found: Found): Adopted => {
  const each = [found].flat()
  return {
    refused: new Map(each.flatMap(({ refused }) => [...refused])),
    waiting: each.flatMap(({ waiting }) => waiting)
  }
}

/**
 * Adopts customers in one cell. The people's payments are locked, so that no event comes between claim and adoption. If
 * the process ends in between, the next event or the repetition adopts them in the cell: see `receiveIn`.
 */
const adoptIn = (routes: Routes, call: Call, place: Place, people: ReadonlyArray<Adoption>) => {
  const { cell, payments } = routes.shared
  const operation = "BillingStore.adopt"
  const references = people.map(({ customerId }) => customerReference(customerId))
  const work = Effect.gen(function* () {
    const rows = cell(place.name)
    yield* askIn(place.name, operation, rows.lock(people.map(({ userId }) => userId)))
    const linked = new Set(yield* askIn(place.name, operation, rows.linked(references)))
    const claims = people.map(({ customerId, importedAt, userId }) => ({
      userId,
      reference: customerReference(customerId),
      at: importedAt
    }))
    const fresh = claims.filter(({ reference }) => !linked.has(reference))
    const { waiting: claimed } = yield* askGlobal(routes, operation, payments.claimImports(fresh))
    const owners = yield* askGlobal(routes, operation, payments.ownersOf(references))
    const own = people.filter((one) => isOwn(owners, one))
    const others = people.filter((one) => !isOwn(owners, one))
    const adopted = (yield* call.run(place, [own, { dryRun: false }])) as Adopted
    const refused = new Map([...others.map(({ userId }) => [userId, undefined] as const), ...adopted.refused])
    const waiting = new Set([...claimed.map(({ id }) => id), ...adopted.waiting])
    return { refused, waiting: [...waiting] } satisfies Adopted
  })
  return place.stores.unitOfWork.run(NO_PERSON, work)
}

/** Adopts the customers of imported people whom their cells do not refuse: one transaction for each cell. */
export const adoptCustomers = (routes: Routes, call: Call, everyCell: (call: Call) => Method): Method => {
  const dryRun = everyCell(call)
  const carryOut = everyCell({
    name: call.name,
    run: (place, args) => adoptIn(routes, call, place, args[0] as ReadonlyArray<Adoption>)
  })
  const adopt = Effect.fnUntraced(function* (people: ReadonlyArray<Adoption>, isDryRun: boolean) {
    const { refused } = joined((yield* dryRun(people, { dryRun: true })) as Found)
    const wanted = people.filter(({ userId }) => !refused.has(userId))
    if (!isDryRun) {
      const adopted = joined((yield* carryOut(wanted, { dryRun: false })) as Found)
      return { ...adopted, refused: new Map([...refused, ...adopted.refused]) }
    }
    const references = wanted.map(({ customerId }) => customerReference(customerId))
    const owners = yield* askGlobal(routes, "BillingStore.adopt", routes.shared.payments.ownersOf(references))
    const others = wanted.filter((one) => !isOwn(owners, one)).map(({ userId }) => [userId, undefined] as const)
    return { refused: new Map([...refused, ...others]), waiting: [] }
  })
  return (people, options) => adopt(people as ReadonlyArray<Adoption>, (options as { readonly dryRun: boolean }).dryRun)
}
