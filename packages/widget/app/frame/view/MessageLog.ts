import type { Message } from "../conversation/Message.ts"
import { element } from "../element.ts"
import { icon } from "../icon.ts"
import type { Catalogue } from "../languages/Catalogue.ts"
import { botMessageView, type MessageSurroundings, type MessageView, visitorMessageView } from "./MessageView.ts"

/** Distance in pixels between the view and the end within which the view follows new text. */
const NEAR = 60

/** Space in pixels above a question that is scrolled to the top. */
const ABOVE = 12

/**
 * The messages, oldest first. The view follows a new reply until its question has reached the top; then the reader
 * scrolls on. It does not follow if the reader has scrolled back.
 */
export class MessageLog {
  readonly element: HTMLElement
  readonly #list: HTMLElement
  readonly #scroller: HTMLElement
  readonly #latest: HTMLButtonElement
  readonly #surroundings: MessageSurroundings
  readonly #views = new Map<number, { readonly message: Message; readonly view: MessageView }>()
  #follows = true

  /** `first` is placed before the messages, `last` after them. */
  constructor(surroundings: MessageSurroundings, texts: Catalogue, first: ReadonlyArray<Node>, last: Node) {
    this.#surroundings = surroundings
    this.#list = element("div", { class: "messages" })
    this.#latest = element(
      "button",
      { type: "button", class: "latest", hidden: true, "aria-label": texts.say("latest"), click: () => this.toEnd() },
      icon("down")
    )
    this.#scroller = element(
      "div",
      {
        class: "log",
        role: "log",
        "aria-live": "off",
        "aria-label": texts.say("conversation"),
        tabindex: 0,
        scroll: () => this.#scrolled()
      },
      ...first,
      this.#list,
      last
    )
    this.element = element("div", { class: "log-area" }, this.#scroller, this.#latest)
  }

  show(messages: ReadonlyArray<Message>): void {
    const known = new Set(messages.map(({ id }) => id))
    for (const [id, { view }] of this.#views) {
      if (known.has(id)) continue
      view.element.remove()
      this.#views.delete(id)
    }
    for (const message of messages) this.#show(message)
    if (this.#follows) this.#scroller.scrollTop = Math.min(this.#scroller.scrollHeight, this.#questionTop())
    this.#scrolled()
  }

  /** Scrolls to the newest message, and makes the view follow new text. */
  toEnd(): void {
    this.#follows = true
    this.#scroller.scrollTop = this.#scroller.scrollHeight
  }

  focus(): void {
    this.#scroller.focus({ preventScroll: true })
  }

  #show(message: Message): void {
    const known = this.#views.get(message.id)
    if (known?.message === message) return known.view.update()
    const make = message.role === "bot" ? botMessageView : visitorMessageView
    const view = make(message, this.#surroundings)
    this.#views.set(message.id, { message, view })
    this.#list.append(view.element)
  }

  #scrolled(): void {
    const { clientHeight, scrollHeight, scrollTop } = this.#scroller
    const isNear = scrollHeight - scrollTop - clientHeight < NEAR
    this.#latest.hidden = isNear
    this.#follows = isNear || Math.abs(scrollTop - this.#questionTop()) < 2
  }

  /** The scroll position at which the last question is at the top; unlimited if there is no question. */
  #questionTop(): number {
    const question = [...this.#views.values()].findLast(({ message }) => message.role === "visitor")?.view.element
    return question === undefined ? Infinity : question.offsetTop - ABOVE
  }
}
