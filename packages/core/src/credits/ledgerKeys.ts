import { Schema } from "effect"
import { EventKey } from "../storage/inputs.ts"

/** The beginnings of the keys of Parley's own events: payments, periods, replies, metered work, changes of terms. */
const OWN =
  /^(?:adjustment|closed|expired|first|grant|imported|moved|period|plan|refund|repaid|reply|tier|topup|unpinned|work):/

/** True for a key that only Parley's own events have. */
export const isLedgerKey = (key: string): boolean => OWN.test(key)

/**
 * The key of a grant or a correction that an application or an operator chooses. With the key of a payment, that payment
 * would count as done when it arrives.
 */
export const ChosenKey = EventKey.check(
  Schema.makeFilter((key) => !isLedgerKey(key), {
    expected: 'a key that does not begin as those of Parley\'s own events do ("topup:", "period:", "reply:", ...)'
  })
)
