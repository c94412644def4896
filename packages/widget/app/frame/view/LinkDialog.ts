import { element } from "../element.ts"
import type { Catalogue } from "../languages/Catalogue.ts"

/** Shows the real address of a link in a reply, and asks before the link opens. */
export class LinkDialog {
  readonly element: HTMLDialogElement
  readonly #address = element("p", { class: "address", dir: "ltr" })
  readonly #open: HTMLAnchorElement

  constructor(texts: Catalogue) {
    this.#open = element(
      "a",
      { class: "primary", target: "_blank", rel: "noopener noreferrer", click: () => this.element.close() },
      texts.say("linkOpen")
    )
    const cancel = element("button", { type: "button", click: () => this.element.close() }, texts.say("linkCancel"))
    this.element = element(
      "dialog",
      { "aria-labelledby": "link-title", "aria-describedby": "link-address" },
      element("h2", { id: "link-title" }, texts.say("linkTitle")),
      element("p", {}, texts.say("linkHint")),
      this.#address,
      element("div", { class: "choices" }, cancel, this.#open)
    )
    this.#address.id = "link-address"
    // A closed dialog keeps no address.
    this.element.addEventListener("close", () => this.#open.removeAttribute("href"))
  }

  ask(address: URL): void {
    const { host, href } = address
    const at = host === "" ? 0 : href.indexOf(host)
    const parts = [href.slice(0, at), element("strong", {}, host), href.slice(at + host.length)]
    this.#address.replaceChildren(...parts)
    this.#open.href = href
    this.element.showModal()
  }
}
