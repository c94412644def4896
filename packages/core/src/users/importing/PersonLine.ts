import { Option, Schema } from "effect"
import type { ImportAccountInput } from "../../credits/rules/importAccount.ts"
import { MAX_CREDITS } from "../../credits/maxCredits.ts"
import { UserId } from "../../identity/UserId.ts"
import { expectationsOf, Id, whole } from "../../storage/inputs.ts"
import { lowestTier, type CatalogData } from "../../tiers/CatalogData.ts"
import { namesOf, type TierName } from "../../tiers/Tier.ts"

const credits = whole(0, MAX_CREDITS, `whole credits from 0 to ${MAX_CREDITS}`)

const anchorWords = "a time as 2026-11-30T09:00:00Z, or Unix milliseconds"

/** ISO 8601 with a time zone: a time without a zone would mean different moments on different machines. */
const ISO_TIME = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2}))?$/

const Anchor = Schema.Union([
  Schema.Number.check(Schema.makeFilter((at) => Number.isSafeInteger(at) && at >= 0, { expected: anchorWords })),
  Schema.String.check(
    Schema.makeFilter((text) => ISO_TIME.test(text) && !Number.isNaN(Date.parse(text)), { expected: anchorWords })
  )
]).annotate({ expected: anchorWords })

/** A person in an import. Null has the same meaning as an absent value. */
export const PersonLine = Schema.Struct({
  /** The person's id at the identity provider. */
  user: UserId,
  /** A tier of the catalog; the lowest unless given. */
  tier: Schema.optional(Schema.NullOr(Schema.String)),
  /** The unspent credits of the current period, whole; all credits of the tier's period unless given. */
  allowance: Schema.optional(Schema.NullOr(credits)),
  /** Credits that do not expire; none unless given. */
  topup: Schema.optional(Schema.NullOr(credits)),
  /** A time at which a period began; the other periods begin whole months before and after it. Now unless given. */
  anchor: Schema.optional(Schema.NullOr(Anchor)),
  /** The person's customer at the payment provider. */
  stripeCustomer: Schema.optional(Schema.NullOr(Id))
})
export type PersonLine = typeof PersonLine.Type

/** A person as the import stores them. */
export interface ImportedPerson {
  readonly account: Omit<ImportAccountInput, "asOf" | "dryRun">
  readonly customerId: string | undefined
}

/** The result of reading a line: a person, or the reason why the line cannot be imported. */
export type ReadPerson =
  | { readonly _tag: "Person"; readonly person: ImportedPerson }
  | { readonly _tag: "Refused"; readonly user: string | undefined; readonly reason: string }

const problemsOf = expectationsOf(PersonLine, { errors: "all", onExcessProperty: "error" })
const decode = Schema.decodeUnknownOption(PersonLine)

const parsed = (text: string): Option.Option<unknown> => {
  try {
    return Option.some(JSON.parse(text))
  } catch {
    return Option.none()
  }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const userOf = (given: Readonly<Record<string, unknown>>): string | undefined =>
  typeof given["user"] === "string" ? given["user"] : undefined

/** The problems of a line in words; undefined if there are none. */
const shapeProblem = (given: Readonly<Record<string, unknown>>): string | undefined => {
  const unknown = Object.keys(given).filter((name) => !(name in PersonLine.fields))
  if (unknown.length > 0) {
    return `unknown field ${JSON.stringify(unknown[0])}: the fields are ${Object.keys(PersonLine.fields).join(", ")}`
  }
  const problems = problemsOf(given).map(
    ({ expected, path }) => `${String(path[0] ?? "the line")}: expected ${expected}`
  )
  return problems.length === 0 ? undefined : [...new Set(problems)].join("; ")
}

const timeOf = (anchor: number | string | null | undefined): number | undefined =>
  typeof anchor === "string" ? Date.parse(anchor) : (anchor ?? undefined)

/** Returns the tier with a name; the lowest tier if the line names none. */
const tierOf = (catalog: CatalogData, name: TierName | null | undefined) =>
  name === null || name === undefined ? lowestTier(catalog) : catalog.tiers.find((tier) => namesOf(tier).includes(name))

const personOf = (catalog: CatalogData, line: PersonLine, now: number): ImportedPerson | string => {
  const tier = tierOf(catalog, line.tier)
  if (tier === undefined) {
    return `tier: the catalog has no tier ${JSON.stringify(line.tier)}; it has ${catalog.tiers.map(({ name }) => name).join(", ")}`
  }
  const anchor = timeOf(line.anchor)
  if (anchor !== undefined && anchor > now) {
    return "anchor: expected a moment at which a period has begun, not one in the future"
  }
  const customerId = line.stripeCustomer ?? undefined
  // The invoices of a paid plan renew it, so that an unpaid invoice grants nothing.
  const isPaid = customerId !== undefined && tier !== lowestTier(catalog)
  return {
    account: {
      userId: line.user,
      tier: tier.name,
      monthlyCredits: tier.monthlyCredits,
      allowance: line.allowance ?? tier.monthlyCredits,
      topup: line.topup ?? 0,
      anchor,
      renewedBy: isPaid ? "invoice" : "schedule",
      isCustomer: customerId !== undefined
    },
    customerId
  }
}

/**
 * Returns the function that reads a line; the function returns undefined for an empty line. It remembers the people and
 * customers of earlier lines, to refuse repetitions.
 */
export const personReader = (catalog: CatalogData, now: number) => {
  const places = new Map<string, number>()
  const repeated = (name: string, id: string, line: number): string | undefined => {
    const key = `${name} ${id}`
    const before = places.get(key)
    if (before === undefined) places.set(key, line)
    return before === undefined ? undefined : `${name}: it is on line ${before} as well`
  }
  return (given: unknown, line: number): ReadPerson | undefined => {
    if (typeof given === "string" && given.trim() === "") return undefined
    const value = typeof given === "string" ? parsed(given) : Option.some(given)
    const refused = (reason: string, user?: string): ReadPerson => ({ _tag: "Refused", user, reason })
    if (Option.isNone(value)) return refused("it is not JSON")
    if (!isObject(value.value)) return refused('expected an object with the person\'s id in "user"')
    const user = userOf(value.value)
    const problem = shapeProblem(value.value)
    const decoded = decode(value.value)
    if (problem !== undefined || Option.isNone(decoded)) return refused(problem ?? "it is not as expected", user)
    const { stripeCustomer, user: id } = decoded.value
    const person = personOf(catalog, decoded.value, now)
    if (typeof person === "string") return refused(person, id)
    const twice = repeated("user", id, line) ?? (stripeCustomer && repeated("stripeCustomer", stripeCustomer, line))
    return twice ? refused(twice, id) : { _tag: "Person", person }
  }
}
