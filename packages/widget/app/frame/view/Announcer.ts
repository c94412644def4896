import { element } from "../element.ts"

/** Announces changes of the page to screen readers. */
export class Announcer {
  readonly element = element("div", { class: "unseen", role: "status", "aria-live": "polite" })

  #passing: Element | undefined

  say(text: string): void {
    this.element.append(element("p", {}, text))
  }

  /** Announces a temporary state. The next temporary text replaces it; undefined removes it. */
  sayForNow(text: string | undefined): void {
    this.#passing?.remove()
    this.#passing = text === undefined ? undefined : element("p", {}, text)
    if (this.#passing !== undefined) this.element.append(this.#passing)
  }

  /** Removes the announced texts, so that screen readers do not find them again. */
  clear(): void {
    this.element.replaceChildren()
  }
}
