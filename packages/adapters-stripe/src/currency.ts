/**
 * Currencies whose amounts are whole units at Stripe. ISK and UGX have no minor unit either, but Stripe writes them with two
 * decimals, which are always zero; HUF and TWD have two decimals in payments, and none only in payouts.
 * https://docs.stripe.com/currencies#zero-decimal and #special-cases
 */
const ZERO_DECIMAL: ReadonlySet<string> = new Set(
  "bif clp djf gnf jpy kmf krw mga pyg rwf vnd vuv xaf xof xpf".split(" ")
)

/** Currencies with three decimals: https://docs.stripe.com/currencies#three-decimal */
const THREE_DECIMAL: ReadonlySet<string> = new Set("bhd jod kwd omr tnd".split(" "))

/** Returns the number of decimals in Stripe's amounts of a currency. `currency` is an ISO 4217 code in any case. */
export const decimalsOf = (currency: string): 0 | 2 | 3 => {
  const code = currency.toLowerCase()
  return ZERO_DECIMAL.has(code) ? 0 : THREE_DECIMAL.has(code) ? 3 : 2
}

/**
 * Converts an amount of Stripe to major units: 1250 of `usd` is 12.5, of `jpy` 1250, of `kwd` 1.25. Returns the number
 * nearest to the exact decimal.
 */
export const majorUnits = (amount: number, currency: string): number => Number(`${amount}e-${decimalsOf(currency)}`)
