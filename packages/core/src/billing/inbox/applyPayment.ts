import { Effect } from "effect"
import type { CreditLedger, CreditRecords } from "../../credits/CreditLedger.ts"
import { openAccount } from "../../credits/rules/openAndClose.ts"
import type { FollowedPlan } from "../../credits/rules/followPlan.ts"
import type { Operation } from "../../credits/rules/LedgerState.ts"
import { isUserId, NO_PERSON } from "../../identity/UserId.ts"
import type { StorageFailed } from "../../storage/StorageFailed.ts"
import { lowestTier, type CatalogData } from "../../tiers/CatalogData.ts"
import type { EventOutcome, StoredPaymentEvent } from "../BillingAccount.ts"
import type { BillingStore } from "../BillingStore.ts"
import { decidePayment } from "../decide/decidePayment.ts"
import { erasedPayment } from "../decide/owedPayment.ts"
import type { UsedCredits } from "../decide/pastPeriods.ts"
import { type PaymentDecision, UNCHANGED } from "../decide/PaymentDecision.ts"
import type { ReceivedPaymentEvent } from "../provider/PaymentEvent.ts"
import { type ActionRefusal, afterActions, operationOf } from "./creditActions.ts"
import type { ConcludeInput, Matched, PaymentEventStore, PaymentSteps } from "./PaymentEventStore.ts"
import {
  boughtBy,
  claimedUser,
  eventReference,
  namesPerson,
  type PaymentFact,
  referencesOf
} from "./paymentReferences.ts"
import {
  ActionRefused,
  type DoAgain,
  LinkedMeanwhile,
  RefusedHalfway,
  StillRuns,
  type UnitSoFar,
  WaitingUnread
} from "./paymentUnit.ts"
import { isInPart } from "./readFact.ts"
import { usedCredits } from "./usedCredits.ts"

export interface ApplierParts {
  readonly catalog: CatalogData
  readonly events: PaymentEventStore["Service"]
  readonly ledger: CreditLedger["Service"]
  readonly records: CreditRecords["Service"]
}

const WAITING: EventOutcome = { state: "waiting", note: "nobody is linked to its customer yet" }

const { actions: _none, ...NOTHING } = UNCHANGED

const planKey = ({ id }: ReceivedPaymentEvent): string => `plan:${id}`

/** The names by which the store looks for an event's person and purchase. */
const namedBy = (fact: PaymentFact) => {
  const claim = claimedUser(fact)
  const claimed = claim !== undefined && isUserId(claim) ? claim : undefined
  return { references: referencesOf(fact), claimed, bought: boughtBy(fact) }
}

/** The person in whose unit of work an event is applied; `NO_PERSON` if none is linked yet, or the person was erased. */
export const personOfPayment = (
  store: Pick<BillingStore["Service"], "ownerOf">,
  { id }: ReceivedPaymentEvent,
  fact: PaymentFact
) => {
  const { claimed, references } = namedBy(fact)
  return Effect.map(store.ownerOf([eventReference(id), ...references], claimed), (linked) =>
    linked === undefined ? (claimed ?? NO_PERSON) : (linked.userId ?? NO_PERSON)
  )
}

const concluded = (
  event: ReceivedPaymentEvent,
  { account }: Matched,
  { payment, ...follows }: Omit<PaymentDecision, "actions">
): ConcludeInput => ({ ...follows, event: { ...event, payment }, userId: account.userId })

/** The operations of a decision, and its conclusion from their answers: the same alone and together with other events. */
const stepsOf = (event: ReceivedPaymentEvent, found: Matched, decision: PaymentDecision): PaymentSteps => ({
  operations: decision.actions.map(operationOf),
  conclude: (answers) => concluded(event, found, afterActions(decision, answers))
})

/** The conclusion of a decision that the ledger refuses: it keeps only the links to the person. */
const refusedBy = (event: ReceivedPaymentEvent, found: Matched, { links }: PaymentDecision, reason: string) =>
  concluded(event, found, {
    ...NOTHING,
    outcome: { state: "refused", note: `the ledger does not take it: ${reason}` },
    // A payment without a grant is not linked: a later grant links it, and finds the events that wait for it.
    links: links.filter(namesPerson)
  })

/**
 * Runs operations one after another. For a person without an account, it opens one first: a payment may come before the first
 * sign-in.
 */
const runAll = (ledger: CreditLedger["Service"], catalog: CatalogData) => {
  const { monthlyCredits: allowance, name: tier } = lowestTier(catalog)
  const run = (operation: Operation<FollowedPlan, ActionRefusal>) => {
    const running = ledger.run(operation)
    const { userId } = operation
    return Effect.catchTag(running, "AccountNotFound", () =>
      Effect.andThen(ledger.run(openAccount({ userId, tier, allowance })), running)
    )
  }
  return Effect.fnUntraced(function* (
    operations: PaymentSteps["operations"]
  ): Effect.fn.Return<ReadonlyArray<FollowedPlan>, ActionRefused | StorageFailed> {
    const answers: Array<FollowedPlan> = []
    for (const [place, operation] of operations.entries()) {
      const answer = yield* Effect.catchIf(
        run(operation as Operation<FollowedPlan, ActionRefusal>),
        (error) => error._tag !== "StorageFailed",
        ({ _tag: reason }) => Effect.fail(new ActionRefused({ reason, isFirst: place === 0 }))
      )
      answers.push(answer)
    }
    return answers
  })
}

/** Applies an event with its credits, in a transaction together with events of other people. */
const applyTogether = ({ catalog, events }: ApplierParts, event: ReceivedPaymentEvent, fact: PaymentFact) =>
  events.applyAtOnce({
    ...namedBy(fact),
    event,
    decide: (found) => {
      const view = { ...found, catalog, changeKey: planKey(event), used: undefined }
      const decision = decidePayment(view, event, fact)
      if (decision.waitsFor.length + decision.unseen.length > 0 || isInPart(fact)) return undefined
      return stepsOf(event, found, decision)
    }
  })

/** Applies an event that was received and matched, under the lock of its person. */
const applyMatched = ({ catalog, ledger, records }: ApplierParts) => {
  const run = runAll(ledger, catalog)
  return Effect.fnUntraced(function* (
    event: ReceivedPaymentEvent,
    fact: PaymentFact,
    found: Matched,
    { again, refused }: { readonly again: boolean; readonly refused: string | undefined }
  ): Effect.fn.Return<ConcludeInput, DoAgain | StorageFailed> {
    // The ledger has the earlier decision of a replayed event under the event's own key.
    const changeKey = again ? `${planKey(event)}:${found.now}` : planKey(event)
    const decide = (used?: UsedCredits) => decidePayment({ ...found, catalog, changeKey, used }, event, fact)
    const first = decide()
    const { userId } = found.account
    const decision = first.unseen.length === 0 ? first : decide(yield* usedCredits(records, userId, first.unseen))
    if (refused !== undefined) return refusedBy(event, found, decision, refused)
    const steps = stepsOf(event, found, decision)
    return yield* Effect.matchEffect(run(steps.operations), {
      onSuccess: (answers) => Effect.succeed(steps.conclude(answers)),
      onFailure: (error): Effect.Effect<ConcludeInput, DoAgain | StorageFailed> => {
        if (error._tag === "StorageFailed") return Effect.fail(error)
        // A refused operation changes nothing, but those before it must be undone.
        return error.isFirst
          ? Effect.succeed(refusedBy(event, found, decision, error.reason))
          : Effect.fail(new RefusedHalfway({ eventId: event.id, reason: error.reason }))
      }
    })
  })
}

/** Applies events: together with events of other people, or alone within a unit of work. */
export const paymentApplier = (parts: ApplierParts) => {
  const { events } = parts
  const matched = applyMatched(parts)

  /** Applies an event within a unit of work, and then the events that waited for its links. */
  const apply = (
    event: ReceivedPaymentEvent,
    fact: PaymentFact,
    again: boolean,
    soFar: UnitSoFar
  ): Effect.Effect<EventOutcome, DoAgain | StorageFailed> =>
    Effect.gen(function* () {
      const gone = erasedPayment(fact)
      const kept = { ...event, payment: gone.payment }
      const received = yield* events.receive({ ...namedBy(fact), event: kept, again, ifErased: gone.outcome })
      if (received._tag === "Known") return received.outcome
      if (received._tag === "Unmatched") return WAITING
      // An event that waited goes on waiting in the unit of another person; `stranded` lists it.
      if (received._tag === "Reassigned") return soFar.owner === undefined ? WAITING : yield* new LinkedMeanwhile()
      const isLate = received._tag === "Matched" && soFar.owner === NO_PERSON
      if (isInPart(fact) || isLate) return yield* new LinkedMeanwhile()
      if (received._tag === "Erased") {
        const { subscriptionId } = gone
        if (subscriptionId !== undefined && !soFar.ended.has(subscriptionId)) {
          return yield* new StillRuns({ eventId: event.id, subscriptionId })
        }
        yield* applyWaiting(received.waiting, soFar)
        return gone.outcome
      }
      const conclusion = yield* matched(event, fact, received, { again, refused: soFar.refused.get(event.id) })
      yield* applyWaiting(yield* events.conclude({ ...conclusion, again }), soFar)
      return conclusion.outcome
    })

  /**
   * Applies events that waited, or fails with `WaitingUnread` if some are not read yet. The caller then reads them outside
   * the unit of work, because the unit holds locks and reading may ask the payment provider.
   */
  const applyWaiting = (
    waiting: ReadonlyArray<StoredPaymentEvent>,
    soFar: UnitSoFar
  ): Effect.Effect<void, DoAgain | StorageFailed> =>
    Effect.gen(function* () {
      const { read } = soFar
      const unread = waiting.filter(({ id, payload }) => payload !== undefined && !read.has(id))
      if (unread.length > 0) return yield* new WaitingUnread({ unread })
      for (const { id } of waiting) {
        const found = read.get(id)
        if (found !== undefined) yield* apply(found.event, found.fact, false, { ...soFar, owner: undefined })
      }
    })

  return {
    apply,
    applyWaiting,
    applyTogether: (event: ReceivedPaymentEvent, fact: PaymentFact) => applyTogether(parts, event, fact)
  }
}
