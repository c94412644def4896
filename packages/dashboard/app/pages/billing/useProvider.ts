import { useMutation } from "@tanstack/react-query"
import { useEffect } from "react"

/**
 * Opens a page of the payment provider; `open` requests its address. The button stays busy until the browser leaves,
 * and is enabled again if the person returns with the browser's back button.
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
    /** The input of `open` while its page is being opened. */
    asked: isLeaving ? leading.variables : undefined,
    problem: leading.error,
    dismissProblem: reset
  }
}
