import { ApiProblem } from "./api.js"
import { element } from "./element.js"
import { countOf, dayOf } from "./wording.js"

/**
 * Shows what went wrong, in place of what was shown before.
 * @param {HTMLElement} place an alert region
 * @param {unknown} error
 */
export const showProblem = (place, error) => {
  const problem =
    error instanceof ApiProblem ? error : new ApiProblem(0, "Something on this page went wrong. Reload it.")
  const lines = [element("p", {}, problem.message)]
  const credits = problem.status === 402 ? creditLine(problem.members) : undefined
  if (credits !== undefined) lines.push(element("p", {}, credits))
  const requestId = problem.members["requestId"]
  if (problem.status >= 500 && typeof requestId === "string") {
    lines.push(element("p", { class: "quiet" }, `Request ${requestId}`))
  }
  place.replaceChildren(
    element("div", { class: "notice notice-problem" }, element("div", {}, ...lines), dismissal(place))
  )
}

/**
 * Shows something worth knowing that is no failure.
 * @param {HTMLElement} place
 * @param {string[]} sentences
 */
export const showNotes = (place, sentences) => {
  place.replaceChildren(...sentences.map((sentence) => element("div", { class: "notice" }, element("p", {}, sentence))))
}

/** @param {HTMLElement} place */
const dismissal = (place) => {
  const close = element("button", { type: "button", class: "icon-button", "aria-label": "Dismiss this message" }, "×")
  close.addEventListener("click", () => {
    place.replaceChildren()
    place.dispatchEvent(new CustomEvent("dismissed", { bubbles: true }))
  })
  return close
}

/** @param {Record<string, unknown>} members */
const creditLine = (members) => {
  const available = members["available"]
  const nextResetAt = members["nextResetAt"]
  if (typeof available !== "number" || typeof nextResetAt !== "string") return undefined
  return `${countOf(available, "credit")} available now. Your allowance is set anew on ${dayOf(nextResetAt)}.`
}
