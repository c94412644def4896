import { days } from "./calendar.ts"
import { expireSession, settleArrival } from "./checkouts.ts"
import { collect } from "./invoices.ts"
import { type StandInBooks, StandInRefusal } from "./StandInBooks.ts"
import { renew } from "./subscriptions.ts"

interface Due {
  readonly at: number
  readonly happen: () => void
}

/** Returns all work that is due at some time, in any order. */
const agenda = (books: StandInBooks): ReadonlyArray<Due> => {
  const { invoices, sessions, subscriptions } = books.state
  const renewals = Object.values(subscriptions)
    .filter(({ status }) => status !== "canceled")
    .map((subscription) => ({ at: subscription.periodEnd, happen: () => renew(books, subscription) }))
  const retries = Object.values(invoices).flatMap((invoice) => {
    const subscription = subscriptions[invoice.subscription ?? ""]
    const isDue = invoice.status === "open" && invoice.nextAttempt !== undefined && subscription?.status !== "canceled"
    return isDue && subscription !== undefined && invoice.nextAttempt !== undefined
      ? [{ at: invoice.nextAttempt, happen: () => collect(books, subscription, invoice) }]
      : []
  })
  const pages = Object.values(sessions).flatMap((session) => [
    ...(session.status === "open"
      ? [{ at: session.created + days(1), happen: () => expireSession(books, session) }]
      : []),
    ...(session.arrival === undefined ? [] : [{ at: session.arrival.at, happen: () => settleArrival(books, session) }])
  ])
  return [...renewals, ...retries, ...pages]
}

/** Returns the earliest work that is due until a time. */
const nextDue = (books: StandInBooks, until: number): Due | undefined =>
  agenda(books)
    .filter(({ at }) => at <= until)
    .toSorted((one, other) => one.at - other.at)[0]

/** Returns the time at which the next subscription renews or ends, in seconds. */
export const nextRenewal = (books: StandInBooks): number | undefined => {
  const ends = Object.values(books.state.subscriptions).flatMap(({ periodEnd, status }) =>
    status === "canceled" ? [] : [periodEnd]
  )
  return ends.length === 0 ? undefined : Math.min(...ends)
}

/** Limits for moving the clock: a larger number of steps or days would be a mistake in a date. */
const MOST_AT_ONCE = 10_000
const FURTHEST_DAYS = 3_660

/** Does all work that is due until a time, each piece as of its own time. */
export const catchUp = (books: StandInBooks, until = books.now()): void => {
  for (let count = 0; count < MOST_AT_ONCE; count++) {
    const due = nextDue(books, until)
    if (due === undefined) return
    books.asOf(due.at, due.happen)
  }
  throw new StandInRefusal("Too much would happen until then.")
}

/** Moves the clock forward to a time in Unix milliseconds. All work that is due until then is done in its order. */
export const moveClock = (books: StandInBooks, toMs: number): void => {
  const to = Math.floor(toMs / 1000)
  const now = books.now()
  if (!(to >= now)) throw new StandInRefusal("The clock only goes forward.")
  if (to > now + days(FURTHEST_DAYS)) throw new StandInRefusal("The clock goes ten years forward at most.")
  catchUp(books, to)
  books.moveClock(to)
}
