import { Schema } from "effect"
import { EventKey } from "../storage/inputs.ts"

/** The prefixes of the keys of Parley's own events: payments, periods, replies, metered work, changes of terms. */
const OWN =
  /^(?:adjustment|closed|expired|first|grant|imported|moved|period|plan|refund|repaid|reply|tier|topup|unpinned|work):/

/** Returns true for a key with the form of Parley's own events, which no caller may choose. */
export const isLedgerKey = (key: string): boolean => OWN.test(key)

/**
 * The key of a grant or a correction, chosen by an application or an operator. Keys of Parley's own events are refused:
 * a payment whose key was already used, for example, would count as done when it arrives.
 */
export const ChosenKey = EventKey.check(
  Schema.makeFilter((key) => !isLedgerKey(key), {
    expected: 'a key that does not begin as those of Parley\'s own events do ("topup:", "period:", "reply:", ...)'
  })
)
