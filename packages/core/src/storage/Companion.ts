/**
 * A write of another domain, as data, that is committed together with an operation of the ledger. The domain of credits
 * does not read it; the ledger's adapter knows how each kind is written.
 */
export interface Companion {
  readonly _tag: string
}
