/** The first and the longest pause between two questions whether the server answers, in milliseconds. */
const FIRST_PAUSE_MS = 500
const LONGEST_PAUSE_MS = 10_000

let waiting: Promise<void> | undefined
const listeners = new Set<() => void>()

/** Calls a listener when the page begins to wait for the server, and when it ends to. */
export const onServerAway = (listener: () => void): (() => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** True if a part of the page waits for a server that does not answer. */
export const isServerAway = (): boolean => waiting !== undefined

/** Resolves when the server answers, at once if it does already. All waiting callers share one series of requests. */
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

/** Ends early when the browser notices that it has a connection again. */
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
