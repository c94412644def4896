/** How long a busy page may put the work off, in milliseconds. */
const LONGEST_MS = 3_000

/** Runs `work` once the page is loaded and has nothing else to do; in browsers that cannot tell, once it is loaded. */
export const whenIdle = (work: () => void, signal: AbortSignal): void => {
  const whenFree: (run: () => void, options: IdleRequestOptions) => unknown =
    // A timer takes what is no number for no delay.
    globalThis.requestIdleCallback ?? (setTimeout as unknown)
  const wait = () => whenFree(work, { timeout: LONGEST_MS })
  if (document.readyState === "complete") wait()
  else addEventListener("load", wait, { signal })
}
