import { Context, Effect, Layer } from "effect"
import { CreditLedger, CreditRecords } from "../credits/CreditLedger.ts"
import { CheckedByService, inputsOf } from "../storage/inputs.ts"
import { retryStorage } from "../storage/retryStorage.ts"
import type { StorageFailed } from "../storage/StorageFailed.ts"
import { UnitOfWork } from "../storage/UnitOfWork.ts"
import { Catalog } from "../tiers/Catalog.ts"
import type { EventOutcome } from "./BillingAccount.ts"
import { BillingStore, type LinkInput } from "./BillingStore.ts"
import { type InvalidSignature, type PaymentFailed, PaymentEventNotFound } from "./errors.ts"
import { paymentApplier, personOfPayment } from "./inbox/applyPayment.ts"
import {
  type BegunEvent,
  type CatchUpInput,
  type CatchUpReport,
  type HandledEvent,
  makeCatchUp
} from "./inbox/catchUp.ts"
import { PaymentEventStore } from "./inbox/PaymentEventStore.ts"
import { paymentUnits } from "./inbox/paymentUnit.ts"
import { factReader } from "./inbox/readFact.ts"
import { closeOtherPages, reportOutcome } from "./inbox/afterwards.ts"
import type { ReceivedPaymentEvent } from "./provider/PaymentEvent.ts"
import { PaymentGateway } from "./provider/PaymentGateway.ts"
import { PaymentLookups } from "./provider/PaymentLookups.ts"
import { PaymentReports, type SignedEvent } from "./provider/PaymentReports.ts"

/** Applies each event of the provider once. Events may arrive repeatedly and in any order. */
export class PaymentInbox extends Context.Service<
  PaymentInbox,
  {
    /**
     * Receives a signed event: the event, its consequences and the ledger's rows are written in one transaction. After
     * a failure nothing is stored, and the provider may send the same event again.
     */
    receive(signed: SignedEvent): Effect.Effect<HandledEvent, InvalidSignature | PaymentFailed | StorageFailed>
    /** The first half of `receive`: verifies the signature and reads the event. */
    verify(signed: SignedEvent): Effect.Effect<ReceivedPaymentEvent, InvalidSignature | PaymentFailed>
    /** The second half of `receive`: stores and applies an event whose signature was verified. */
    accept(event: ReceivedPaymentEvent): Effect.Effect<HandledEvent, PaymentFailed | StorageFailed>
    /** Applies a stored event, even if it was applied before: each consequence happens once. */
    replay(eventId: string): Effect.Effect<HandledEvent, PaymentEventNotFound | PaymentFailed | StorageFailed>
    /** Applies the events in the provider's list that never arrived, and those that wait. */
    catchUp(input: CatchUpInput): Effect.Effect<CatchUpReport, PaymentFailed | StorageFailed>
    /**
     * Links a customer to a person, and applies the events that waited for it. Returns the person's customer; undefined
     * if the given customer belongs to another person.
     */
    link(input: LinkInput): Effect.Effect<string | undefined, PaymentFailed | StorageFailed>
  }
>()("@parley/core/billing/PaymentInbox") {
  static readonly inputs = inputsOf<PaymentInbox["Service"]>()({ receive: [{ signed: CheckedByService }] })
  static readonly layer = Layer.effect(
    PaymentInbox,
    Effect.gen(function* () {
      const gateway = yield* PaymentGateway
      const reports = yield* PaymentReports
      const store = yield* BillingStore
      const events = yield* PaymentEventStore
      const facts = factReader(yield* PaymentLookups, store)
      const credits = { ledger: yield* CreditLedger, records: yield* CreditRecords }
      const applier = paymentApplier({ events, ...credits, catalog: yield* Catalog })
      const inUnit = paymentUnits({ facts, gateway, reports, unitOfWork: yield* UnitOfWork })

      /**
       * Applies an event together with other events if possible; otherwise returns the rest of the work, which has to
       * be done alone.
       */
      const begin = Effect.fnUntraced(function* (
        event: ReceivedPaymentEvent,
        again: boolean
      ): Effect.fn.Return<BegunEvent, PaymentFailed | StorageFailed> {
        const fact = yield* facts.factOf(event)
        if (fact._tag === "Settled") {
          const kept = yield* retryStorage(events.keep(event, fact.outcome))
          return { _tag: "Handled", event: yield* handledAs(event, kept) }
        }
        const outcome = again ? undefined : yield* applier.applyTogether(event, fact)
        if (outcome !== undefined) return { _tag: "Handled", event: yield* handledAs(event, outcome) }
        const finish = retryStorage(personOfPayment(store, event, fact)).pipe(
          Effect.flatMap((owner) => inUnit(owner, (soFar) => applier.apply(event, fact, again, soFar))),
          Effect.flatMap((outcome) => handledAs(event, outcome)),
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

      const accept = (event: ReceivedPaymentEvent) =>
        Effect.tap(handle(event, false), (handled) => closeOtherPages(gateway, event, handled))

      return PaymentInbox.of({
        verify: (signed) => reports.verify(signed),
        accept,
        receive: (signed) => Effect.flatMap(reports.verify(signed), accept),
        replay: Effect.fnUntraced(function* (eventId) {
          const [stored] = yield* events.find([eventId])
          if (stored?.payload === undefined) return yield* new PaymentEventNotFound({ eventId })
          return yield* handle(yield* reports.read(stored.payload), true)
        }),
        catchUp: makeCatchUp({ reports, events, begin: (event) => begin(event, false) }),
        link: (input) =>
          inUnit(
            input.userId,
            Effect.fnUntraced(function* (soFar) {
              const { customerId, waiting } = yield* store.link(input)
              yield* applier.applyWaiting(waiting, soFar)
              return customerId
            })
          ).pipe(Effect.catchTag("LinkedMeanwhile", Effect.die))
      })
    })
  )
}

/** Logs and returns an event with its outcome. */
const handledAs = (event: ReceivedPaymentEvent, outcome: EventOutcome): Effect.Effect<HandledEvent> =>
  Effect.as(reportOutcome(event, outcome), { id: event.id, kind: event.kind, ...outcome })
