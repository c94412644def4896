/** Longest delay of the work on a busy page, in milliseconds. */
const LONGEST_MS = 3_000

/** Runs `work` when the page is loaded and idle; in browsers without idle callbacks, when it is loaded. */
export const whenIdle = (work: () => void, signal: AbortSignal): void => {
  const whenFree: (run: () => void, options: IdleRequestOptions) => unknown =
    // A timer treats an argument that is not a number as no delay.
    globalThis.requestIdleCallback ?? (setTimeout as unknown)
  const wait = () => whenFree(work, { timeout: LONGEST_MS })
  if (document.readyState === "complete") wait()
  else addEventListener("load", wait, { signal })
}
