import type { Message } from "../conversation/Message.ts"
import { element } from "../element.ts"
import { icon } from "../icon.ts"
import type { Catalogue } from "../texts.ts"
import { botMessageView, type MessageSurroundings, type MessageView, visitorMessageView } from "./MessageView.ts"

/** How near its end a reader has to be for the log to follow what comes, in pixels. */
const NEAR = 60

/** Above a question that stands at the top, in pixels. */
const ABOVE = 12

/**
 * What was said, oldest first. It follows what comes, until the question has reached the top: from there on its reader
 * reads at their own pace. Nor does it where they have gone back.
 */
export class MessageLog {
  readonly element: HTMLElement
  readonly #list: HTMLElement
  readonly #scroller: HTMLElement
  readonly #latest: HTMLButtonElement
  readonly #surroundings: MessageSurroundings
  readonly #views = new Map<number, { readonly message: Message; readonly view: MessageView }>()
  #follows = true

  /** `first` stands before the messages, `last` behind them. */
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

  /** Goes to the newest message, and on with what comes. */
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

  /** How far down the last question can be scrolled; without one, without bounds. */
  #questionTop(): number {
    const question = [...this.#views.values()].findLast(({ message }) => message.role === "visitor")?.view.element
    return question === undefined ? Infinity : question.offsetTop - ABOVE
  }
}
