import { serverAnswers } from "./serverAway.ts"

const RELOADED_AT = "parley.reloaded-at"
/** Shortest time in milliseconds between two reloads of the page because of a missing part. */
const RELOADED_LATELY_MS = 60_000

/**
 * Loads a part of the application that is not in the first load. If the server cannot be reached, it waits until the
 * server answers. If the server answers but the part is still missing, it reloads the page: the server has a newer
 * application, or the browser has cached the failure.
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

/** The stylesheets that failed to load. Vite requests the styles of a part only once, even if that request failed. */
const missingStyles = new Set<HTMLLinkElement>()

/** Records each stylesheet that fails to load, so that `loadPart` can load it again. The application calls it once. */
export const recordMissingStyles = (): void =>
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
