import { element, find } from "./element.js"
import { Reply } from "./reply.js"

/** How near to the end, in pixels, counts as reading along. */
const NEAR = 80

/** The messages of the open chat. */
export class Transcript {
  #scroller = find("transcript", HTMLElement)
  #list = find("messages", HTMLOListElement)
  #welcome = find("welcome", HTMLElement)
  #earlier = find("earlier", HTMLButtonElement)
  /** @type {(() => void) | undefined} */
  #readEarlier

  constructor() {
    this.#earlier.addEventListener("click", () => this.#readEarlier?.())
  }

  /** @param {string} text */
  addQuestion(text) {
    const speaker = element("h2", { class: "speaker" }, "You")
    const view = element("li", { class: "message message-user" }, speaker, element("div", { class: "words" }, text))
    this.#add(view)
    return view
  }

  addReply() {
    const reply = new Reply((change) => this.#following(change))
    this.#add(reply.view)
    return reply
  }

  /**
   * Shows a stored chat.
   * @param {ReadonlyArray<import("./api.js").StoredMessage>} messages
   * @param {Map<string, import("./costs.js").Cost>} costs
   */
  show(messages, costs) {
    this.clear()
    // A whole chat at once is not news to read out.
    this.#scroller.setAttribute("aria-live", "off")
    this.#showAll(messages, costs)
    this.#toEnd()
    requestAnimationFrame(() => this.#scroller.setAttribute("aria-live", "polite"))
  }

  /**
   * Shows stored messages before the others; what is read stays where it is.
   * @param {ReadonlyArray<import("./api.js").StoredMessage>} messages
   * @param {Map<string, import("./costs.js").Cost>} costs
   */
  showEarlier(messages, costs) {
    const shown = [...this.#list.children]
    const fromEnd = this.#scroller.scrollHeight - this.#scroller.scrollTop
    this.#list.replaceChildren()
    this.#showAll(messages, costs)
    this.#list.append(...shown)
    this.#scroller.scrollTop = this.#scroller.scrollHeight - fromEnd
  }

  /** Offers to read what was said before, unless there is nothing. @param {(() => void) | undefined} read */
  offerEarlier(read) {
    this.#readEarlier = read
    this.#earlier.hidden = read === undefined
  }

  /**
   * @param {ReadonlyArray<import("./api.js").StoredMessage>} messages
   * @param {Map<string, import("./costs.js").Cost>} costs
   */
  #showAll(messages, costs) {
    for (const message of messages) {
      if (message.role === "user") this.addQuestion(message.content)
      if (message.role !== "assistant") continue
      const reply = this.addReply()
      reply.write(message.content)
      reply.end(message.state)
      reply.cite(message.id, message.sources)
      reply.price(costs.get(message.id))
    }
  }

  clear() {
    this.offerEarlier(undefined)
    this.#list.replaceChildren()
    this.#welcome.hidden = false
  }

  /** Takes messages back. @param {...HTMLElement} views */
  remove(...views) {
    for (const view of views) view.remove()
    this.#welcome.hidden = this.#list.childElementCount > 0
  }

  /** @param {HTMLElement} view */
  #add(view) {
    this.#welcome.hidden = true
    this.#list.append(view)
    this.#toEnd()
  }

  /** @param {() => void} change */
  #following(change) {
    const { scrollHeight, scrollTop, clientHeight } = this.#scroller
    const follows = scrollHeight - scrollTop - clientHeight < NEAR
    change()
    if (follows) this.#toEnd()
  }

  #toEnd() {
    this.#scroller.scrollTop = this.#scroller.scrollHeight
  }
}
