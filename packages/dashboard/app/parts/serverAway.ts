/** The first and the longest pause between two checks if the server answers again, in milliseconds. */
const FIRST_PAUSE_MS = 500
const LONGEST_PAUSE_MS = 10_000

let waiting: Promise<void> | undefined
const listeners = new Set<() => void>()

/**
 * Calls `listener` when the page begins and when it ends to wait for the server. Returns a function that removes the
 * listener.
 */
export const onServerAway = (listener: () => void): (() => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** True while a part of the page waits for a server that does not answer. */
export const isServerAway = (): boolean => waiting !== undefined

/** Resolves when the server answers, or at once if it answers now. All waiting callers share one series of requests. */
export const serverAnswers = async (): Promise<void> => {
  if (await answers()) return
  waiting ??= askAgain().finally(() => {
    waiting = undefined
    tell()
  })
  tell()
  await waiting
}

const tell = () => {
  for (const listener of listeners) listener()
}

const answers = (): Promise<boolean> =>
  fetch("/dashboard.json", { cache: "no-store" }).then(
    ({ ok }) => ok,
    () => false
  )

const askAgain = async (): Promise<void> => {
  for (let wait = FIRST_PAUSE_MS; ; wait = Math.min(wait * 2, LONGEST_PAUSE_MS)) {
    await pauseUnlessOnline(wait)
    if (await answers()) return
  }
}

/** Waits for this time, or until the browser reports that it is online again. */
const pauseUnlessOnline = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer)
      removeEventListener("online", end)
      resolve()
    }
    const timer = setTimeout(end, milliseconds)
    addEventListener("online", end)
  })
