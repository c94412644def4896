import { linkCitations } from "./citations.js"
import { element } from "./element.js"
import { renderSources } from "./sources.js"
import { countOf } from "./wording.js"

/** What is said under a reply that is not whole. */
const UNFINISHED = {
  stopped: "Stopped before the end.",
  failed: "The reply broke off and is incomplete.",
  streaming: "This reply is incomplete."
}

/** A reply as it is shown, from its first words to its sources. Its words are never live: the announcer tells them. */
export class Reply {
  #written = new Text("")
  #words = element("div", { class: "words", "aria-live": "off" })
  #text = ""
  #following

  /** @param {(change: () => void) => void} following makes a change and keeps the reader at the end, if they are there */
  constructor(following) {
    this.#following = following
    this.#words.append(this.#written)
    const speaker = element("h2", { class: "speaker" }, "Assistant")
    this.view = element("li", { class: "message message-assistant writing", "aria-busy": "true" }, speaker, this.#words)
  }

  /** @param {string} chunk */
  write(chunk) {
    this.#text += chunk
    this.#following(() => this.#written.appendData(chunk))
  }

  /** @param {import("./api.js").MessageState} state */
  end(state) {
    this.view.classList.remove("writing")
    this.view.removeAttribute("aria-busy")
    this.view.dataset["state"] = state
    if (state !== "complete") this.append(element("p", { class: "unfinished" }, UNFINISHED[state]))
  }

  /** Puts something under the words. @param {Node} node */
  append(node) {
    this.#following(() => this.view.append(node))
  }

  /** Links the citations and lists the sources. @param {string} messageId @param {ReadonlyArray<import("./api.js").Source>} sources */
  cite(messageId, sources) {
    if (sources.length === 0) return
    const { view, elementOf } = renderSources(messageId, this.#text, sources)
    this.#following(() => {
      this.#words.replaceChildren(...linkCitations(this.#text, elementOf))
      this.view.append(view)
    })
  }

  /** Says what the reply cost. @param {import("./costs.js").Cost | undefined} cost */
  price(cost) {
    if (cost === undefined) return
    const text = `${countOf(cost.credits, "credit")}${cost.estimated ? ", estimated" : ""}`
    this.append(element("p", { class: "cost quiet" }, text))
  }
}
