import { useEffect, useState } from "react"
import { loadPart } from "./loadPart.ts"

/** Something that is not in the first load. Once it is loaded, it is there when a component is first drawn. */
export interface Part<A extends object> {
  readonly load: () => Promise<A>
  /** Loads the part before it is needed. After a failure it is loaded again on use. */
  readonly preload: () => void
  /** Loads it, unless it is not wanted. Returns undefined until it is loaded. */
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
