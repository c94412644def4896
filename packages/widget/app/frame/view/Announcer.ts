import { element } from "../element.ts"

/** Says to people who listen what others see appear. */
export class Announcer {
  readonly element = element("div", { class: "unseen", role: "status", "aria-live": "polite" })

  say(text: string): void {
    this.element.append(element("p", {}, text))
  }

  /** What was said before is not said again. */
  clear(): void {
    this.element.replaceChildren()
  }
}
