/** Longest wait in milliseconds for a busy page to become idle. */
const LONGEST_MS = 3_000

/** Runs `work` when the page is loaded and idle. In browsers without idle callbacks it runs when the page is loaded. */
export const whenIdle = (work: () => void, signal: AbortSignal): void => {
  const whenFree: (run: () => void, options: IdleRequestOptions) => unknown =
    // `setTimeout` takes the options for its delay, and treats a delay that is no number as 0.
    globalThis.requestIdleCallback ?? (setTimeout as unknown)
  const wait = () => whenFree(work, { timeout: LONGEST_MS })
  if (document.readyState === "complete") wait()
  else addEventListener("load", wait, { signal })
}
