import { Clock, Context, Effect, Layer, Schema } from "effect"
import { ActionAsked, BY_AN_APPLICATION } from "../../audit/ActionAsked.ts"
import { AuditLog } from "../../audit/AuditLog.ts"
import type { PaymentFailed } from "../../billing/errors.ts"
import { BillingStore } from "../../billing/BillingStore.ts"
import { PaymentInbox } from "../../billing/PaymentInbox.ts"
import { CreditLedger } from "../../credits/CreditLedger.ts"
import { type ImportOutcome, importAccount, type ImportState } from "../../credits/rules/importAccount.ts"
import { CheckedByService, InvalidInput, inputsOf } from "../../storage/inputs.ts"
import { retryThroughOutage } from "../../storage/retryStorage.ts"
import type { StorageFailed } from "../../storage/StorageFailed.ts"
import { Catalog } from "../../tiers/Catalog.ts"
import { type ImportedPerson, type PersonLine, personReader } from "./PersonLine.ts"

/**
 * The number of people who are imported together: enough for efficient commits, and few enough that an interruption
 * loses little time.
 */
const AT_ONCE = 500

/** A line that was not imported, with a reason on which an operator can act. */
export interface RefusedLine {
  /** The number of the line, from 1. */
  readonly line: number
  /** The person in the line; undefined if the line names none. */
  readonly user: string | undefined
  readonly reason: string
}

/** The result of an import, or of the part of it that is done. */
export interface ImportReport {
  readonly dryRun: boolean
  /** Unix milliseconds: the time of the balances. */
  readonly asOf: number
  /** The number of lines with content that were read. */
  readonly lines: number
  readonly created: number
  /** The number of people who had signed in before, and whose account had only its first allowance. */
  readonly updated: number
  /** The number of people who had been imported before with the same values. */
  readonly unchanged: number
  readonly refused: ReadonlyArray<RefusedLine>
}

export const ImportOptions = Schema.Struct({
  /**
   * Unix milliseconds: the time of the balances. Payments of a line's customer that were reported before this time are
   * part of the balance; later ones are granted. Now unless given, and never in the future. Give the same time when an
   * import is repeated.
   */
  asOf: Schema.optional(Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))),
  /** True: reports what an import would do, and changes nothing. */
  dryRun: Schema.optional(Schema.Boolean),
  asked: Schema.optional(ActionAsked)
})
export type ImportOptions = typeof ImportOptions.Type

type Lines = ReadonlyArray<PersonLine | string>

/**
 * Imports people with their tiers, balances and customers from another system. Each line is imported or refused
 * independently, in two steps that may be repeated: the customer is linked together with the time of the balance, and
 * then the account is opened, once for its key. So the same call continues an import that was interrupted.
 */
export class UserImport extends Context.Service<
  UserImport,
  {
    /**
     * Imports people. Each text is a line of JSON; an empty text is skipped. A person who is imported again with the
     * same values stays unchanged. An account that has been used is refused, and so is a customer of another person, so
     * that nothing is overwritten. The audit log gets one entry for each call that changed something.
     */
    import(
      lines: Lines,
      options?: ImportOptions
    ): Effect.Effect<ImportReport, InvalidInput | PaymentFailed | StorageFailed>
    /** Does the same, and reports after each part of the lines. */
    run(
      lines: Lines,
      options: ImportOptions,
      onProgress: (report: ImportReport) => Effect.Effect<void>
    ): Effect.Effect<ImportReport, InvalidInput | PaymentFailed | StorageFailed>
  }
>()("@parley/core/users/UserImport") {
  static readonly inputs = inputsOf<UserImport["Service"]>()({
    import: [{ lines: CheckedByService }, { options: Schema.UndefinedOr(ImportOptions) }]
  })
  static readonly layer = Layer.effect(
    UserImport,
    Effect.suspend(() => make)
  )
}

/** A line that can be imported. */
interface ReadLine {
  readonly line: number
  readonly person: ImportedPerson
}

/** The outcome of a line: the state of the account, or the reason of a refusal. */
type LineOutcome = ImportState | { readonly reason: string }

const reasonOf = (outcome: Exclude<ImportOutcome, { readonly _tag: "Imported" }>): string => {
  switch (outcome._tag) {
    case "ImportedOtherwise":
      return "the person was imported before with other values: correct the balance with `parley credits adjust`, and the tier with `parley users tier`"
    case "InUse": {
      const { allowance, tier, topup } = outcome.account
      return `the person has an account that has been used (${outcome.transactions} transactions, tier ${tier}, allowance ${allowance}, top-up ${topup}): add to it with \`parley credits grant\`, and set the tier with \`parley users tier\``
    }
    case "TooMany":
      return "allowance and topup together are more credits than an account holds"
  }
}

const outcomeOf = (outcome: ImportOutcome): LineOutcome =>
  outcome._tag === "Imported" ? outcome.state : { reason: reasonOf(outcome) }

const otherCustomer = (customer: string | undefined): LineOutcome => ({
  reason:
    customer === undefined
      ? "the customer belongs to another person, or to one who was erased"
      : `the person has another customer: ${customer}`
})

/** Makes the function that imports a part of the lines. */
const makePart = Effect.gen(function* () {
  const billing = yield* BillingStore
  const ledger = yield* CreditLedger

  const decide = (people: ReadonlyArray<ImportedPerson>, run: Pick<ImportReport, "asOf" | "dryRun">) =>
    Effect.forEach(people, ({ account }) => Effect.map(ledger.run(importAccount({ ...account, ...run })), outcomeOf), {
      concurrency: "unbounded"
    })

  /**
   * Links the customers of the people who can be imported; returns the refusals and the ids of the events that waited.
   */
  const adopt = Effect.fnUntraced(function* (
    people: ReadonlyArray<ImportedPerson>,
    outlook: ReadonlyArray<LineOutcome>,
    { asOf, dryRun }: Pick<ImportReport, "asOf" | "dryRun">
  ) {
    // The times of payment events are whole seconds.
    const importedAt = Math.floor(asOf / 1_000) * 1_000
    const adopted = people.flatMap(({ account: { userId }, customerId }, place) =>
      customerId !== undefined && (outlook[place] === "created" || outlook[place] === "updated")
        ? [{ userId, customerId, importedAt }]
        : []
    )
    if (adopted.length === 0) return { refused: new Map<string, string | undefined>(), waiting: [] }
    return yield* billing.adopt(adopted, { dryRun })
  })

  /** Returns the outcomes of a part of the people, and the events that waited for their customers. */
  return Effect.fnUntraced(function* (
    people: ReadonlyArray<ImportedPerson>,
    run: Pick<ImportReport, "asOf" | "dryRun">
  ) {
    const hasCustomers = people.some(({ customerId }) => customerId !== undefined)
    if (!hasCustomers) return { outcomes: yield* decide(people, run), waiting: [] }
    const outlook = yield* decide(people, { ...run, dryRun: true })
    const { refused, waiting } = yield* adopt(people, outlook, run)
    const rest = people.filter(({ account }) => !refused.has(account.userId))
    const decided = run.dryRun ? [] : yield* decide(rest, run)
    const done = new Map(rest.map(({ account: { userId } }, place) => [userId, decided[place]]))
    const outcomes = people.map(({ account: { userId } }, place): LineOutcome => {
      if (refused.has(userId)) return otherCustomer(refused.get(userId))
      return done.get(userId) ?? (outlook[place] as LineOutcome)
    })
    return { outcomes, waiting }
  })
})

/** The counts of an import. */
const makeCounts = (dryRun: boolean, asOf: number) => {
  const counts = { created: 0, updated: 0, unchanged: 0 }
  const refused: Array<RefusedLine> = []
  let lines = 0
  return {
    read: () => void (lines += 1),
    refuse: (line: RefusedLine) => void refused.push(line),
    add: ({ line, person }: ReadLine, outcome: LineOutcome) => {
      if (typeof outcome === "string") counts[outcome] += 1
      else refused.push({ line, user: person.account.userId, reason: outcome.reason })
    },
    report: (): ImportReport => ({
      dryRun,
      asOf,
      lines,
      ...counts,
      refused: refused.toSorted((a, b) => a.line - b.line)
    })
  }
}

const make = Effect.gen(function* () {
  const audit = yield* AuditLog
  const catalog = yield* Catalog
  const inbox = yield* PaymentInbox
  const importPart = yield* makePart

  const applyWaiting = (waiting: ReadonlyArray<string>) =>
    Effect.forEach(waiting, (id) => Effect.catchTag(inbox.replay(id), "PaymentEventNotFound", () => Effect.void), {
      discard: true
    })

  const run: UserImport["Service"]["run"] = Effect.fn("UserImport.import")(function* (lines, options, onProgress) {
    const now = yield* Clock.currentTimeMillis
    const { asOf = now, asked = BY_AN_APPLICATION, dryRun = false } = options
    // Until that time, no purchase of these people would be granted.
    if (asOf > now) return yield* new InvalidInput({ field: "asOf", expected: "a moment that is not in the future" })
    const counts = makeCounts(dryRun, asOf)
    const read = personReader(catalog, now)
    for (let from = 0; from < lines.length; from += AT_ONCE) {
      const part: Array<ReadLine> = []
      for (const [place, given] of lines.slice(from, from + AT_ONCE).entries()) {
        const line = from + place + 1
        const found = read(given, line)
        if (found !== undefined) counts.read()
        if (found?._tag === "Person") part.push({ line, person: found.person })
        else if (found !== undefined) counts.refuse({ line, user: found.user, reason: found.reason })
      }
      const people = part.map(({ person }) => person)
      const { outcomes, waiting } = yield* retryThroughOutage(importPart(people, { asOf, dryRun }))
      for (const [place, one] of part.entries()) counts.add(one, outcomes[place] as LineOutcome)
      yield* applyWaiting(waiting)
      yield* onProgress(counts.report())
    }
    const report = counts.report()
    if (!dryRun && report.created + report.updated > 0) {
      const { address, by, reason } = asked
      const details = `${report.created} created, ${report.updated} updated, balances of ${new Date(asOf).toISOString()}`
      yield* audit.record({ action: "users import", by, userId: undefined, reason, details, address })
    }
    return report
  })

  return UserImport.of({ run, import: (lines, options = {}) => run(lines, options, () => Effect.void) })
})
