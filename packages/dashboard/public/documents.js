import * as api from "./api.js"
import { confirm } from "./confirm.js"
import { DocumentRow } from "./documentRow.js"
import { find } from "./element.js"
import { createPoll } from "./poll.js"
import { countOf } from "./wording.js"

/** The documents of the person: their states, and which of them the chat uses. */
export class Documents {
  #list = find("document-list", HTMLUListElement)
  #empty = find("document-empty", HTMLElement)
  #use = find("document-use", HTMLElement)
  /** @type {Map<string, DocumentRow>} */
  #rows = new Map()
  /** @type {Set<string>} */
  #chosen = new Set()
  #watching = createPoll(() => this.#watch(), { first: 300, longest: 5_000 })
  #announcer
  #onProblem

  /** Where problems with documents are shown. */
  problem = find("document-problem", HTMLElement)

  /**
   * @param {{ announcer: import("./announcer.js").Announcer,
   *   onProblem: (error: unknown, place: HTMLElement) => void }} input
   */
  constructor({ announcer, onProblem }) {
    this.#announcer = announcer
    this.#onProblem = onProblem
  }

  /** Reads the list, and again with growing pauses while a document is being read. */
  async refresh() {
    if (await this.#read()) this.#watching.start()
  }

  /** The documents that the next question may use. */
  chosenIds() {
    return [...this.#chosen].filter((id) => this.#rows.get(id)?.stored.status !== "failed")
  }

  /** @param {string} id */
  choose(id) {
    this.#chosen.add(id)
  }

  /** @param {string} id */
  filename(id) {
    return this.#rows.get(id)?.stored.filename ?? "a document that is gone"
  }

  clear() {
    this.#watching.stop()
    this.#rows.clear()
    this.#chosen.clear()
    this.#list.replaceChildren()
    this.problem.replaceChildren()
    this.#showUse()
  }

  /** A failed look is tried again, unless nobody is signed in any more. */
  async #watch() {
    try {
      return await this.#read()
    } catch (error) {
      if (!(error instanceof api.ApiProblem) || error.status !== 401) return true
      this.#onProblem(error, this.problem)
      return false
    }
  }

  /** Gives whether a document is still being read. */
  async #read() {
    const documents = await api.readDocuments()
    const ids = new Set(documents.map((stored) => stored.id))
    for (const id of this.#rows.keys()) if (!ids.has(id)) this.#forget(id)
    for (const [index, stored] of documents.entries()) this.#place(stored, index)
    this.#showUse()
    return documents.some((stored) => stored.status === "processing")
  }

  /** @param {api.StoredDocument} stored @param {number} index where in the list it belongs */
  #place(stored, index) {
    const known = this.#rows.get(stored.id)
    const before = known?.stored.status
    const row = known ?? new DocumentRow(stored, this.#actions(stored))
    row.update(stored, this.#chosen.has(stored.id))
    this.#rows.set(stored.id, row)
    const there = this.#list.children[index] ?? null
    if (there !== row.view) this.#list.insertBefore(row.view, there)
    if (before === "processing" && stored.status === "ready") this.#announcer.say(`${stored.filename} is ready.`)
    if (before === "processing" && stored.status === "failed") {
      this.#announcer.say(`${stored.filename} failed. ${stored.reason ?? ""}`)
    }
  }

  /** @param {api.StoredDocument} stored @returns {import("./documentRow.js").RowActions} */
  #actions(stored) {
    return {
      onChoose: (isChosen) => {
        if (isChosen) this.#chosen.add(stored.id)
        else this.#chosen.delete(stored.id)
        this.#showUse()
      },
      onDelete: () => void this.#delete(stored),
      onRetry: () => void this.#change(() => api.retryDocument(stored.id))
    }
  }

  /** @param {api.StoredDocument} stored */
  async #delete(stored) {
    const question = `Delete ${stored.filename}? Chats keep the passages they quoted.`
    if (!(await confirm({ question, verb: "Delete" }))) return
    await this.#change(async () => {
      await api.deleteDocument(stored.id)
      this.#announcer.say(`${stored.filename} is deleted.`)
      find("file", HTMLInputElement).focus()
    })
  }

  /** @param {() => Promise<unknown>} change */
  async #change(change) {
    this.problem.replaceChildren()
    try {
      await change()
      await this.refresh()
    } catch (error) {
      this.#onProblem(error, this.problem)
    }
  }

  /** @param {string} id */
  #forget(id) {
    this.#rows.get(id)?.view.remove()
    this.#rows.delete(id)
    this.#chosen.delete(id)
  }

  #showUse() {
    const count = this.chosenIds().length
    this.#use.textContent = count === 0 ? "No document is used" : `Using ${countOf(count, "document")}`
    this.#empty.hidden = this.#rows.size > 0
  }
}
