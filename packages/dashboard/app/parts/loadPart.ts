import { serverAnswers } from "./serverAway.ts"

const RELOADED_AT = "parley.reloaded-at"
/** A page that was reloaded for a missing part is not reloaded again so soon, in milliseconds. */
const RELOADED_LATELY_MS = 60_000

/**
 * Loads a part of the application that is not in the first load. Where the server cannot be reached, it waits until it can.
 * Where the server answers and does not have the part, it has a newer application by now, or this browser remembers the
 * failure: then the page is loaded anew.
 */
export const loadPart = async <A>(load: () => Promise<A>): Promise<A> => {
  try {
    return await load()
  } catch {
    await serverAnswers()
    await loadMissingStyles()
  }
  try {
    return await load()
  } catch (error) {
    await serverAnswers()
    if (wasReloadedLately()) throw error
    sessionStorage.setItem(RELOADED_AT, String(Date.now()))
    location.reload()
    return new Promise<never>(() => undefined)
  }
}

const wasReloadedLately = (): boolean =>
  Date.now() - Number(sessionStorage.getItem(RELOADED_AT) ?? 0) < RELOADED_LATELY_MS

/** Vite asks for the styles of a part once, also where they did not come. These did not. */
const missingStyles = new Set<HTMLLinkElement>()
addEventListener(
  "error",
  ({ target }) => {
    if (target instanceof HTMLLinkElement && target.rel === "stylesheet") missingStyles.add(target)
  },
  { capture: true }
)

const loadMissingStyles = async (): Promise<void> => {
  const links = [...missingStyles]
  missingStyles.clear()
  await Promise.all(links.map(loadAgain))
}

const loadAgain = (link: HTMLLinkElement): Promise<void> =>
  new Promise((resolve) => {
    const again = document.createElement("link")
    again.rel = link.rel
    again.href = link.href
    again.addEventListener("load", () => resolve())
    again.addEventListener("error", () => resolve())
    link.replaceWith(again)
  })
