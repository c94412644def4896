import { type CallOptions, ParleyError } from "@parley/client"
import { useCallback, useEffect, useState } from "react"

/** Data that a hook has read. */
export interface Loaded<A> {
  /** Undefined until it is read the first time. */
  readonly data: A | undefined
  /** The failure of the last read; undefined after a success. */
  readonly error: ParleyError | undefined
  /** Reads it again. */
  readonly reload: () => void
}

/** The failure as a `ParleyError`. Another error is a defect of the page, and is thrown on. */
export const parleyError = (error: unknown): ParleyError => {
  if (error instanceof ParleyError) return error
  throw error
}

/** Reads data on the first render, whenever `read` changes, and after `reload`. */
export const useLoaded = <A>(read: (options: CallOptions) => Promise<A>): Loaded<A> => {
  const [found, setFound] = useState<{ readonly data?: A; readonly error?: ParleyError }>({})
  const [reads, setReads] = useState(0)
  useEffect(() => {
    const leaving = new AbortController()
    const { signal } = leaving
    read({ signal }).then(
      (data) => {
        if (!signal.aborted) setFound({ data })
      },
      (error: unknown) => {
        const failure = parleyError(error)
        if (!signal.aborted) setFound(({ data }) => ({ ...(data === undefined ? {} : { data }), error: failure }))
      }
    )
    return () => leaving.abort()
  }, [read, reads])
  const reload = useCallback(() => setReads((count) => count + 1), [])
  return { data: found.data, error: found.error, reload }
}
