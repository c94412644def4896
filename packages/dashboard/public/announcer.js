import { element } from "./element.js"

/** How many announcements stay in the page: enough for a reader that lags, few enough not to be met when browsing. */
const KEPT = 4

/**
 * Speaks to people who do not see the page. A streamed reply is told in whole sentences, never in tokens.
 * @param {HTMLElement} region a polite live region
 */
export const createAnnouncer = (region) => {
  /** @param {string} sentence */
  const say = (sentence) => {
    region.append(element("p", {}, sentence))
    while (region.childElementCount > KEPT) region.firstElementChild?.remove()
  }

  /** Gathers a reply's text and says it sentence by sentence. */
  const teller = () => {
    let waiting = ""
    return {
      /** @param {string} text */
      add: (text) => {
        waiting += text
        const end = lastSentenceEnd(waiting)
        if (end === 0) return
        say(waiting.slice(0, end).trim())
        waiting = waiting.slice(end)
      },
      finish: () => {
        if (waiting.trim() !== "") say(waiting.trim())
        waiting = ""
      }
    }
  }

  return { say, teller }
}

/**
 * Where the last whole sentence of the text ends; 0 where none does. A short beginning waits for more, so that
 * announcements do not hail down.
 * @param {string} text
 */
const lastSentenceEnd = (text) => {
  if (text.length < 60) return 0
  const ends = [...text.matchAll(/[.!?]["')\]]*(?=\s)|\n/g)]
  const last = ends.at(-1)
  return last === undefined ? 0 : last.index + last[0].length
}

/** @typedef {ReturnType<typeof createAnnouncer>} Announcer */
