/**
 * A `pg.Pool` of the caller's. Parley takes connections out of it, leaves them as they were, and never ends it. It has to
 * hold two connections at least; its login is the one that Parley's schema belongs to.
 */
export interface CallersPool {
  connect(): Promise<object>
  on(event: "error", listener: (error: Error) => void): unknown
  off(event: "error", listener: (error: Error) => void): unknown
  readonly options?: { readonly max?: number | undefined } | undefined
}
