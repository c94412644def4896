import { orderedOverAll } from "./orderedOverAll.ts"
import type { Call, Method, Routes } from "../routing/Routes.ts"

interface OfPerson {
  readonly userId: string
}

interface Dated {
  readonly createdAt: number | string
}

interface Received {
  readonly receivedAt: number
}

/** People in the order of their ids. A person is in one database, so several rows of one keep their order. */
const byPerson = orderedOverAll({
  field: "rows",
  isBefore: (a: OfPerson, b: OfPerson) => a.userId < b.userId,
  isEndless: false
})

/** The lists that have one order over all databases. Lists by time have it if the clocks of the databases agree. */
export const orders: Readonly<Record<string, (routes: Routes, call: Call) => Method>> = {
  "billingUpkeep.credited": byPerson,
  "billingUpkeep.people": byPerson,
  "billingUpkeep.several": byPerson,
  "personalData.list": byPerson,
  "paymentEvents.list": orderedOverAll({
    field: "rows",
    isBefore: (a: Received, b: Received) => a.receivedAt > b.receivedAt,
    isEndless: false
  }),
  "deliveryRecords.feed": orderedOverAll({
    field: "events",
    isBefore: (a: Dated, b: Dated) => a.createdAt < b.createdAt,
    isEndless: true
  }),
  "jobs.list": orderedOverAll({
    field: "jobs",
    isBefore: (a: Dated, b: Dated) => a.createdAt > b.createdAt,
    isEndless: false
  })
}
