import { useEffect, useState } from "react"
import { loadPart } from "./loadPart.ts"

/**
 * A module that is not in the first load. If it is loaded before a component is first drawn, the component has it at
 * once.
 */
export interface Part<A extends object> {
  readonly load: () => Promise<A>
  /** Loads the part before it is needed. If that fails, it is loaded again when a component needs it. */
  readonly preload: () => void
  /** Loads the part if it is wanted. Returns undefined until it is loaded. */
  readonly useLoaded: (isWanted?: boolean) => A | undefined
}

export const makePart = <A extends object>(fetchPart: () => Promise<A>): Part<A> => {
  let loaded: A | undefined
  const fetchOnce = async () => (loaded ??= await fetchPart())
  const load = () => loadPart(fetchOnce)
  return {
    load,
    preload: () => void fetchOnce().catch(() => undefined),
    useLoaded: (isWanted = true) => {
      const [known, setKnown] = useState<{ readonly part?: A; readonly error?: unknown }>({})
      useEffect(() => {
        if (!isWanted || loaded !== undefined) return
        let isShown = true
        void load().then(
          (part) => isShown && setKnown({ part }),
          (error: unknown) => isShown && setKnown({ error })
        )
        return () => {
          isShown = false
        }
      }, [isWanted])
      if ("error" in known) throw known.error
      return loaded ?? known.part
    }
  }
}
