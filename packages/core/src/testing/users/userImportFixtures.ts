import { Effect } from "effect"
import type { Cursor } from "../../storage/Cursor.ts"
import type { PaymentInbox } from "../../billing/PaymentInbox.ts"
import { CreditRecords, CreditUpkeep } from "../../credits/CreditLedger.ts"
import type { StoragePort } from "../../StoragePorts.ts"
import type { PersonLine } from "../../users/importing/PersonLine.ts"
import { type ImportReport, UserImport } from "../../users/importing/UserImport.ts"
import { atTime } from "../atTime.ts"

export const DAY = 86_400_000
export const HOUR = 3_600_000
export const START = Date.UTC(2027, 0, 31, 10)
/** The time of the balances, and of the import. */
export const AS_OF = START + 10 * DAY

export type Parts = StoragePort | PaymentInbox | UserImport

export const newName = () => crypto.randomUUID()

export const importing = (
  lines: ReadonlyArray<PersonLine | string>,
  { at = AS_OF, ...options }: { dryRun?: boolean; asOf?: number; at?: number } = {}
) =>
  atTime(
    at,
    UserImport.use((users) => users.import(lines, { asOf: AS_OF, ...options }))
  )

export const account = (userId: string) => CreditRecords.use((records) => records.account(userId))

export const rowsOf = (userId: string) =>
  Effect.map(
    CreditRecords.use((records) => records.history({ userId, limit: 200, offset: 0 })),
    ({ transactions }) => transactions
  )

/** Returns the differences that verification finds in the accounts of some people. */
export const differencesOf = Effect.fnUntraced(function* (people: ReadonlySet<string>) {
  const upkeep = yield* CreditUpkeep
  const found: Array<unknown> = []
  let after: Cursor | undefined
  do {
    const chunk = yield* upkeep.verify({ limit: 500, after, since: undefined })
    found.push(...chunk.differences.filter(({ userId }) => people.has(userId)))
    after = chunk.next
  } while (after !== undefined)
  return found
})

export const countsOf = ({ created, refused, unchanged, updated }: ImportReport) => ({
  created,
  updated,
  unchanged,
  refused: refused.length
})
