import { Context, Effect, Layer, Result } from "effect"
import { CreditLedger, CreditRecords } from "../credits/CreditLedger.ts"
import { openAccount } from "../credits/rules/openAndClose.ts"
import type { FollowedPlan } from "../credits/rules/followPlan.ts"
import { isUserId } from "../identity/UserId.ts"
import { CheckedByService, inputsOf } from "../storage/inputs.ts"
import { retryStorage } from "../storage/retryStorage.ts"
import type { StorageFailed } from "../storage/StorageFailed.ts"
import { UnitOfWork } from "../storage/UnitOfWork.ts"
import { Catalog, lowestTier } from "../tiers/Catalog.ts"
import type { EventOutcome, StoredPaymentEvent } from "./BillingAccount.ts"
import { BillingStore, type LinkInput } from "./BillingStore.ts"
import { type ActionRefusal, afterActions, operationOf } from "./creditActions.ts"
import { decidePayment } from "./decide/decidePayment.ts"
import { erasedPayment } from "./decide/owedPayment.ts"
import type { UsedCredits } from "./decide/pastPeriods.ts"
import { type CreditAction, type PaymentDecision, UNCHANGED } from "./decide/PaymentDecision.ts"
import { type InvalidSignature, type PaymentFailed, PaymentEventNotFound } from "./errors.ts"
import {
  type BegunEvent,
  type CatchUpInput,
  type CatchUpReport,
  type HandledEvent,
  makeCatchUp
} from "./inbox/catchUp.ts"
import { factReader, isInPart } from "./inbox/readFact.ts"
import { usedCredits } from "./inbox/usedCredits.ts"
import type { ReceivedPaymentEvent } from "./PaymentEvent.ts"
import { PaymentGateway, type SignedEvent } from "./PaymentGateway.ts"
import { boughtBy, claimedUser, namesPerson, type PaymentFact, referencesOf } from "./paymentReferences.ts"
import {
  ActionRefused,
  type DoAgain,
  LinkedMeanwhile,
  RefusedHalfway,
  StillRuns,
  type UnitSoFar,
  type WaitingFact,
  WaitingUnread
} from "./paymentUnit.ts"

/** How long an event waits at most for other pages to be closed. */
const CLOSING_MS = 5_000

const WAITING: EventOutcome = { state: "waiting", note: "nobody is linked to its customer yet" }

const { actions: _none, ...NOTHING } = UNCHANGED

/** What the provider reports, once each, whenever and however often it comes. */
export class PaymentInbox extends Context.Service<
  PaymentInbox,
  {
    /**
     * Takes a signed event in: the event, what follows from it and the ledger's rows are one transaction. After a failure
     * nothing of it is left, and the same event may come again.
     */
    receive(signed: SignedEvent): Effect.Effect<HandledEvent, InvalidSignature | PaymentFailed | StorageFailed>
    /** The first half of `receive`: proves the signature and reads the event. */
    verify(signed: SignedEvent): Effect.Effect<ReceivedPaymentEvent, InvalidSignature | PaymentFailed>
    /** The second half: takes an event in whose signature was proven. */
    accept(event: ReceivedPaymentEvent): Effect.Effect<HandledEvent, PaymentFailed | StorageFailed>
    /** Applies an event that is kept, also one that was applied: whatever was done stays done once. */
    replay(eventId: string): Effect.Effect<HandledEvent, PaymentEventNotFound | PaymentFailed | StorageFailed>
    /** Applies what the provider lists and never came, or waits. */
    catchUp(input: CatchUpInput): Effect.Effect<CatchUpReport, PaymentFailed | StorageFailed>
    /**
     * Links a customer to a person, and applies what waited for that; gives the person's customer, or undefined where
     * the one given is somebody else's.
     */
    link(input: LinkInput): Effect.Effect<string | undefined, PaymentFailed | StorageFailed>
  }
>()("@parley/core/billing/PaymentInbox") {
  static readonly inputs = inputsOf<PaymentInbox["Service"]>()({ receive: [{ signed: CheckedByService }] })
  static readonly layer = Layer.effect(
    PaymentInbox,
    Effect.gen(function* () {
      const gateway = yield* PaymentGateway
      const store = yield* BillingStore
      const ledger = yield* CreditLedger
      const records = yield* CreditRecords
      const catalog = yield* Catalog
      const lowest = lowestTier(catalog)
      const unitOfWork = yield* UnitOfWork
      const { factOf, knownFactOf } = factReader(gateway, store)

      /** Does an action; opens the account first for a person who has none yet: payment may come before the first sign-in. */
      const act = (action: CreditAction): Effect.Effect<FollowedPlan, ActionRefusal | StorageFailed> => {
        const acting = ledger.run(operationOf(action))
        const { userId } = action.input
        return Effect.catchTag(acting, "AccountNotFound", () =>
          Effect.andThen(
            ledger.run(openAccount({ userId, tier: lowest.name, allowance: lowest.monthlyCredits })),
            acting
          )
        )
      }

      /** Moves the credits, one action after another; gives what is to be written then. */
      const moved = Effect.fnUntraced(function* (
        decision: PaymentDecision
      ): Effect.fn.Return<Omit<PaymentDecision, "actions">, ActionRefused | StorageFailed> {
        const answers: Array<FollowedPlan> = []
        for (const [place, action] of decision.actions.entries()) {
          const answer = yield* Effect.catchIf(
            act(action),
            (error) => error._tag !== "StorageFailed",
            ({ _tag: reason }) => Effect.fail(new ActionRefused({ reason, isFirst: place === 0 }))
          )
          answers.push(answer)
        }
        return afterActions(decision, answers)
      })

      /** What is left of a decision whose credits the ledger does not take: nothing but whom the event names. */
      const refusedBy = ({ links }: PaymentDecision, reason: string): Omit<PaymentDecision, "actions"> => ({
        ...NOTHING,
        outcome: { state: "refused", note: `the ledger does not take it: ${reason}` },
        // What was not granted names nobody: a later grant links its payment, and finds what waits for that.
        links: links.filter(namesPerson)
      })

      /** Applies an event within a unit of work, and then what waited for what it links. */
      const apply = (
        event: ReceivedPaymentEvent,
        fact: PaymentFact,
        again: boolean,
        soFar: UnitSoFar
      ): Effect.Effect<EventOutcome, DoAgain | StorageFailed> =>
        Effect.gen(function* () {
          const gone = erasedPayment(fact)
          const { event: _plain, ...named } = namedBy(event, fact)
          const kept = { ...event, payment: gone.payment }
          const received = yield* store.receive({ ...named, event: kept, again, ifErased: gone.outcome })
          if (received._tag === "Known") return received.outcome
          if (received._tag === "Unmatched") return WAITING
          if (isInPart(fact)) return yield* new LinkedMeanwhile()
          if (received._tag === "Erased") {
            const { subscriptionId } = gone
            if (subscriptionId !== undefined && !soFar.ended.has(subscriptionId)) {
              return yield* new StillRuns({ eventId: event.id, subscriptionId })
            }
            yield* applyWaiting(received.waiting, soFar)
            return gone.outcome
          }
          const { account, bought, now } = received
          // What was decided of it before stands in the ledger under the event's own key.
          const changeKey = again ? `${planKey(event)}:${now}` : planKey(event)
          const decide = (used?: UsedCredits) =>
            decidePayment({ account, bought, catalog, now, changeKey, used }, event, fact)
          const first = decide()
          const wanted =
            first.unseen.length === 0 ? first : decide(yield* usedCredits(records, account.userId, first.unseen))
          const reason = soFar.refused.get(event.id)
          const decision =
            reason === undefined
              ? yield* Effect.catchTag(moved(wanted), "ActionRefused", (refusal) =>
                  // A refusal leaves nothing behind, but what was done before it has to be undone.
                  refusal.isFirst
                    ? Effect.succeed(refusedBy(wanted, refusal.reason))
                    : Effect.fail(new RefusedHalfway({ eventId: event.id, reason: refusal.reason }))
                )
              : refusedBy(wanted, reason)
          const concluded = { ...event, payment: decision.payment }
          const waiting = yield* store.conclude({ ...decision, event: concluded, userId: account.userId })
          yield* applyWaiting(waiting, soFar)
          return decision.outcome
        })

      /** Applies an event in company of others, where it is one of the many that need nothing beyond what is known. */
      const applyAtOnce = (event: ReceivedPaymentEvent, fact: PaymentFact) =>
        store.applyAtOnce({
          ...namedBy(event, fact),
          decide: ({ account, bought, now }) => {
            const view = { account, bought, catalog, now, changeKey: planKey(event), used: undefined }
            const decision = decidePayment(view, event, fact)
            if (decision.waitsFor.length + decision.unseen.length > 0 || isInPart(fact)) return undefined
            return {
              operations: decision.actions.map(operationOf),
              conclude: (answers) => ({
                ...afterActions(decision, answers),
                event: { ...event, payment: decision.payment },
                userId: account.userId
              })
            }
          }
        })

      /** Applies what waited, as far as all of it was read: reading may take the provider, and a unit of work locks. */
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
            if (found !== undefined) yield* apply(found.event, found.fact, false, soFar)
          }
        })

      const stillWaits = Effect.logWarning(
        "An event that waited cannot be applied yet: the payment provider does not answer. Background work tries again within an hour; `parley billing replay` does at once."
      )

      /** One for which the provider has to be asked, and does not answer, goes on waiting: catching up finds it. */
      const readWaiting = ({ payload }: StoredPaymentEvent): Effect.Effect<WaitingFact | undefined> =>
        Effect.gen(function* () {
          const event = yield* gateway.read(payload ?? "")
          const fact = yield* knownFactOf(event)
          return fact._tag === "Settled" ? undefined : { event, fact }
        }).pipe(
          Effect.catchTag(["PaymentUnavailable", "PaymentRefused", "PaymentsNotConfigured"], () =>
            Effect.as(stillWaits, undefined)
          )
        )

      /**
       * Ends a subscription of an erased person, so that nothing more is paid for it. Where the provider does not answer, the event
       * comes again, or goes on waiting.
       */
      const endRunning = ({ eventId, subscriptionId }: StillRuns, read: Map<string, WaitingFact | undefined>) =>
        gateway.endSubscription(subscriptionId).pipe(
          Effect.catchTag("PaymentObjectNotFound", () => Effect.void),
          Effect.catch((error) =>
            read.has(eventId) ? Effect.as(stillWaits, void read.set(eventId, undefined)) : Effect.fail(error)
          )
        )

      /**
       * Does work as one unit. Where events waited for what it links, it is undone, they are read, with what the provider
       * has to be asked for, and it is done again with them: nothing is looked up while a person is locked. So it is where
       * the ledger refuses one of several actions.
       */
      const inUnit = <A>(
        owner: string,
        work: (soFar: UnitSoFar) => Effect.Effect<A, DoAgain | StorageFailed>
      ): Effect.Effect<A, LinkedMeanwhile | PaymentFailed | StorageFailed> =>
        Effect.gen(function* () {
          const read = new Map<string, WaitingFact | undefined>()
          const refused = new Map<string, string>()
          const ended = new Set<string>()
          while (true) {
            const done = yield* Effect.result(retryStorage(unitOfWork.run(owner, work({ read, refused, ended }))))
            if (Result.isSuccess(done)) return done.success
            const { failure } = done
            if (failure._tag === "StorageFailed" || failure._tag === "LinkedMeanwhile") return yield* failure
            if (failure._tag === "RefusedHalfway") refused.set(failure.eventId, failure.reason)
            else if (failure._tag === "StillRuns") {
              yield* endRunning(failure, read)
              ended.add(failure.subscriptionId)
            } else for (const event of failure.unread) read.set(event.id, yield* readWaiting(event))
          }
        })

      const report = (event: ReceivedPaymentEvent, { note, state }: EventOutcome) => {
        const annotated = (log: Effect.Effect<void>) =>
          Effect.annotateLogs(log, { event: event.id, kind: event.kind, state, note })
        switch (state) {
          case "applied":
          case "ignored":
            return annotated(Effect.logDebug("An event of the payment provider was taken in."))
          case "owed":
            return annotated(
              Effect.logWarning("Something was paid for which nothing is given: refund it. See `parley billing list`.")
            )
          case "waiting":
            return annotated(Effect.logWarning("An event of the payment provider waits until its person is known."))
          case "refused":
          case "unreadable":
            return annotated(
              Effect.logError("An event of the payment provider could not be applied. See `parley billing list`.")
            )
        }
      }

      /** Handles an event in company of others, if that can be; else says how it is handled alone. */
      const begin = Effect.fnUntraced(function* (
        event: ReceivedPaymentEvent,
        again: boolean
      ): Effect.fn.Return<BegunEvent, PaymentFailed | StorageFailed> {
        const made = (outcome: EventOutcome) =>
          Effect.as(report(event, outcome), { id: event.id, kind: event.kind, ...outcome })
        const fact = yield* factOf(event)
        if (fact._tag === "Settled") {
          const kept = yield* retryStorage(store.keep(event, fact.outcome))
          return { _tag: "Handled", event: yield* made(kept) }
        }
        const outcome = again ? undefined : yield* applyAtOnce(event, fact)
        if (outcome !== undefined) return { _tag: "Handled", event: yield* made(outcome) }
        const finish = inUnit(ownerOf(event, fact), (soFar) => apply(event, fact, again, soFar)).pipe(
          Effect.flatMap(made),
          Effect.catchTag("LinkedMeanwhile", () => handle(event, again))
        )
        return { _tag: "Alone", finish }
      })

      const handle = (
        event: ReceivedPaymentEvent,
        again: boolean
      ): Effect.Effect<HandledEvent, PaymentFailed | StorageFailed> =>
        Effect.flatMap(begin(event, again), (begun) =>
          begun._tag === "Handled" ? Effect.succeed(begun.event) : begun.finish
        )

      /**
       * Closes the other pages on which the person of a new subscription could begin a second one. Where the provider does not
       * answer, the next event of the subscription tries again: nothing that was paid for waits for it.
       */
      const closeOtherPages = (event: ReceivedPaymentEvent, { state }: EventOutcome) => {
        const isTaken = state === "applied" || state === "ignored"
        const customerId = isTaken ? newSubscriber(event) : undefined
        if (customerId === undefined) return Effect.void
        return gateway.closeCheckouts({ customerId, mode: "subscription" }).pipe(
          Effect.timeout(CLOSING_MS),
          Effect.catch(() => Effect.logWarning("Open checkout pages of a customer who has subscribed were not closed."))
        )
      }

      const accept = (event: ReceivedPaymentEvent) =>
        Effect.tap(handle(event, false), (handled) => closeOtherPages(event, handled))

      const replay = Effect.fnUntraced(function* (eventId: string) {
        const [stored] = yield* store.find([eventId])
        if (stored?.payload === undefined) return yield* new PaymentEventNotFound({ eventId })
        return yield* handle(yield* gateway.read(stored.payload), true)
      })

      const catchUp = makeCatchUp({ gateway, store, begin: (event) => begin(event, false) })

      return PaymentInbox.of({
        verify: (signed) => gateway.verify(signed),
        accept,
        receive: (signed) => Effect.flatMap(gateway.verify(signed), accept),
        replay,
        catchUp,
        link: (input) =>
          inUnit(
            input.userId,
            Effect.fnUntraced(function* (soFar) {
              const { customerId, waiting } = yield* store.link(input)
              yield* applyWaiting(waiting, soFar)
              return customerId
            })
          ).pipe(Effect.catchTag("LinkedMeanwhile", Effect.die))
      })
    })
  )
}

/** What is looked for of an event. */
const namedBy = (event: ReceivedPaymentEvent, fact: PaymentFact) => {
  const claim = claimedUser(fact)
  const claimed = claim !== undefined && isUserId(claim) ? claim : undefined
  return { event, references: referencesOf(fact), claimed, bought: boughtBy(fact) }
}

/** The customer who has begun a subscription, as an event says. */
const newSubscriber = ({ event }: ReceivedPaymentEvent): string | undefined => {
  if (event._tag === "Checkout" && event.session.mode === "subscription") return event.session.customerId
  return event._tag === "InvoicePaid" && event.invoice.reason === "create" ? event.invoice.customerId : undefined
}

const planKey = ({ id }: ReceivedPaymentEvent): string => `plan:${id}`

/** Whose the unit of work is, as far as the event says. */
const ownerOf = ({ customerId, id }: ReceivedPaymentEvent, fact: PaymentFact): string =>
  claimedUser(fact) ?? customerId ?? id
