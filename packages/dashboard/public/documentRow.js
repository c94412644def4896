import { element } from "./element.js"
import { countOf } from "./wording.js"

/**
 * @typedef {import("./api.js").StoredDocument} StoredDocument
 * @typedef {{ onChoose: (isChosen: boolean) => void, onDelete: () => void, onRetry: () => void }} RowActions
 */

/**
 * A document in the list: whether the chat uses it, how far it is, and a way to be rid of it. The row stays the same
 * element through all its states, so that focus is not lost.
 */
export class DocumentRow {
  #checkbox
  #state
  #progress
  #retry

  /** @param {StoredDocument} stored @param {RowActions} actions */
  constructor(stored, actions) {
    this.stored = stored
    const { filename } = stored
    const inputId = `document-${stored.id}`
    const stateId = `${inputId}-state`
    this.#checkbox = element("input", { type: "checkbox", id: inputId, "aria-describedby": stateId })
    this.#checkbox.addEventListener("change", () => actions.onChoose(this.#checkbox.checked))
    this.#state = element("span", { class: "state", id: stateId })
    this.#progress = element("progress", { max: "1", "aria-label": `Reading ${filename}` })
    this.#retry = element(
      "button",
      { type: "button", class: "text-button", "aria-label": `Try again to read ${filename}`, click: actions.onRetry },
      "Try again"
    )
    const label = element("label", { for: inputId, title: filename }, filename)
    const text = element("div", { class: "document-text" }, label, this.#state, this.#progress, this.#retry)
    const remove = element(
      "button",
      { type: "button", class: "icon-button", "aria-label": `Delete ${filename}`, click: actions.onDelete },
      "×"
    )
    this.view = element("li", { class: "document" }, this.#checkbox, text, remove)
  }

  /** @param {StoredDocument} stored its state now @param {boolean} isChosen */
  update(stored, isChosen) {
    this.stored = stored
    this.view.dataset["status"] = stored.status
    this.#checkbox.checked = isChosen && stored.status !== "failed"
    this.#checkbox.disabled = stored.status === "failed"
    this.#state.textContent = stateText(stored)
    this.#progress.hidden = stored.status !== "processing"
    if (stored.progress > 0) this.#progress.value = stored.progress
    else this.#progress.removeAttribute("value")
    this.#retry.hidden = stored.status !== "failed"
  }
}

/** @param {StoredDocument} stored */
const stateText = ({ status, reason, pages }) => {
  if (status === "failed") return `Failed: ${reason ?? "its text could not be read."}`
  if (status === "processing") return "Reading…"
  return pages === null ? "Ready" : `Ready, ${countOf(pages, "page")}`
}
