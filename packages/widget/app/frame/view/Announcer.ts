import { element } from "../element.ts"

/** Says to people who listen what others see appear. */
export class Announcer {
  readonly element = element("div", { class: "unseen", role: "status", "aria-live": "polite" })

  #passing: Element | undefined

  say(text: string): void {
    this.element.append(element("p", {}, text))
  }

  /** Says what is true for a while; the next such text, or none, takes its place. */
  sayForNow(text: string | undefined): void {
    this.#passing?.remove()
    this.#passing = text === undefined ? undefined : element("p", {}, text)
    if (this.#passing !== undefined) this.element.append(this.#passing)
  }

  /** What was said before is not said again. */
  clear(): void {
    this.element.replaceChildren()
  }
}
