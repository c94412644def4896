import { ApiProblem } from "./api.js"
import { element } from "./element.js"
import { countOf, dayOf, withDays } from "./wording.js"

/**
 * Shows what went wrong, in place of what was shown before.
 * @param {HTMLElement} place an alert region
 * @param {unknown} error
 */
export const showProblem = (place, error) => {
  const problem =
    error instanceof ApiProblem ? error : new ApiProblem(0, "Something on this page went wrong. Reload it.")
  const lines = [element("p", {}, withDays(problem.message))]
  if (problem.status === 402) lines.push(...creditLines(problem.members))
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

/** @param {HTMLElement} place its `data-then` names the element that has the focus after the message is gone */
const dismissal = (place) => {
  const close = element("button", { type: "button", class: "icon-button", "aria-label": "Dismiss this message" }, "×")
  close.addEventListener("click", () => {
    place.replaceChildren()
    document.getElementById(place.dataset["then"] ?? "")?.focus()
  })
  return close
}

/** What a refusal for want of credits tells besides its sentence. @param {Record<string, unknown>} members */
const creditLines = ({ available, nextResetAt, affordableModels }) => {
  const models = Array.isArray(affordableModels) ? affordableModels.join(", ") : ""
  return [
    ...(typeof available === "number" && typeof nextResetAt === "string"
      ? [`Available now: ${countOf(available, "credit")}. Next monthly allowance: ${dayOf(nextResetAt)}.`]
      : []),
    ...(models === "" ? [] : [`Models that your balance still buys: ${models}.`])
  ].map((line) => element("p", { class: "quiet" }, line))
}
