/**
 * A write of another domain that is committed together with an operation of the ledger, as data. Credits do not read it:
 * the ledger's adapter knows how each kind is written.
 */
export interface Companion {
  readonly _tag: string
}
