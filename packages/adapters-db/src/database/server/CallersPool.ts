/**
 * A `pg.Pool` that the embedding application owns. Parley borrows connections, returns them with unchanged settings,
 * and never ends the pool. The pool must have at least two connections, and its login must own Parley's schema.
 */
export interface CallersPool {
  connect(): Promise<object>
  on(event: "error", listener: (error: Error) => void): unknown
  off(event: "error", listener: (error: Error) => void): unknown
  readonly options?: { readonly max?: number | undefined } | undefined
}
