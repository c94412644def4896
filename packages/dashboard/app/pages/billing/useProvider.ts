import { useMutation } from "@tanstack/react-query"
import { useEffect } from "react"

/**
 * Opens a page of the payment provider. `open` requests its address. The button stays busy until the page is left, and
 * is free again if the person returns with the browser's back button.
 */
export const useProvider = <A>(open: (asked: A) => Promise<string>) => {
  const leading = useMutation({
    mutationFn: async (asked: A) => {
      location.assign(await open(asked))
    }
  })
  const { reset } = leading
  useEffect(() => {
    const free = ({ persisted }: PageTransitionEvent) => {
      if (persisted) reset()
    }
    addEventListener("pageshow", free)
    return () => removeEventListener("pageshow", free)
  }, [reset])
  const isLeaving = leading.isPending || leading.isSuccess
  return {
    go: leading.mutate,
    isLeaving,
    /** The requested item, until the page is left. */
    asked: isLeaving ? leading.variables : undefined,
    problem: leading.error,
    dismissProblem: reset
  }
}
