import { BillingStore } from "../../billing/BillingStore.ts"
import {
  PaymentEventStore,
  type ConcludeInput,
  type KeptEvent,
  type ReceiveInput
} from "../../billing/inbox/PaymentEventStore.ts"

/** The time of the events in these suites, in Unix milliseconds. */
export const AT = Date.UTC(2027, 0, 31, 10)

export const newId = (kind: string) => `${kind}_${crypto.randomUUID()}`

/** An event that was not received before. */
export const eventOf = (changes: Partial<KeptEvent> = {}): KeptEvent => ({
  id: newId("evt"),
  kind: "invoice.paid",
  createdAt: AT,
  customerId: "cus_1",
  payload: '{"text":"ä\\u2028"}',
  ...changes
})

export const receive = (event: KeptEvent, input: Partial<ReceiveInput> = {}) =>
  PaymentEventStore.use((store) =>
    store.receive({ event, references: [], claimed: undefined, bought: {}, again: false, ...input })
  )

export const conclude = (event: KeptEvent, userId: string, input: Partial<ConcludeInput> = {}) =>
  PaymentEventStore.use((store) =>
    store.conclude({
      event,
      userId,
      outcome: { state: "applied", note: "done" },
      subscription: undefined,
      followed: undefined,
      invoiceReports: undefined,
      bought: undefined,
      links: [],
      waitsFor: [],
      ...input
    })
  )

export const find = (id: string) => PaymentEventStore.use((store) => store.find([id]))
export const accountOf = (userId: string) => BillingStore.use((store) => store.account(userId))
