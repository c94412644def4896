import type { Theme } from "./messages.ts"
import { mount } from "./mount.ts"
import type { ParleyWidget, WidgetEvent } from "./ParleyWidget.ts"

const EVENTS: ReadonlyArray<WidgetEvent> = ["ready", "open", "close", "message", "reply", "limit", "error"]

/** An element that shows a bot on the page while the element itself is on the page. */
export interface ParleyWidgetElement extends HTMLElement {
  /** The widget, while the element is on the page. */
  readonly widget: ParleyWidget | undefined
}

/**
 * Defines the element `<parley-widget base-url="https://chat.example.com" public-key="pk_...">`, with the attributes
 * `lang`, `position`, `theme`, `launcher="none"` and `text-...` (`text-limit-over` replaces the text `limitOver`). Its
 * events are named `parley-ready`, `parley-open` and so on. Does nothing outside a browser, or if the name is already
 * defined.
 */
export const defineParleyWidget = (name = "parley-widget"): void => {
  if (typeof customElements === "undefined" || customElements.get(name) !== undefined) return
  customElements.define(name, makeElement())
}

const camelCase = (name: string): string => name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase())

const textsOf = (element: Element): Record<string, string> =>
  Object.fromEntries(
    [...element.attributes].flatMap((attribute) =>
      attribute.name.startsWith("text-") ? [[camelCase(attribute.name.slice(5)), attribute.value]] : []
    )
  )

// The class is created when it is needed, because servers that render pages have no `HTMLElement`.
const makeElement = () =>
  class extends HTMLElement implements ParleyWidgetElement {
    static readonly observedAttributes = ["base-url", "public-key", "lang", "position", "theme", "launcher"]
    #widget: ParleyWidget | undefined

    get widget(): ParleyWidget | undefined {
      return this.#widget
    }

    connectedCallback(): void {
      const baseUrl = this.getAttribute("base-url")
      const publicKey = this.getAttribute("public-key")
      if (baseUrl === null || publicKey === null || this.#widget !== undefined) return
      const widget = mount({
        baseUrl,
        publicKey,
        lang: this.lang,
        position: (this.getAttribute("position") as "left" | "right" | null) ?? undefined,
        theme: this.#theme,
        launcher: this.getAttribute("launcher") !== "none",
        texts: textsOf(this)
      })
      for (const event of EVENTS) {
        widget.on(event, (detail) => this.dispatchEvent(new CustomEvent(`parley-${event}`, { detail, bubbles: true })))
      }
      this.#widget = widget
    }

    disconnectedCallback(): void {
      this.#widget?.remove()
      this.#widget = undefined
    }

    attributeChangedCallback(changed: string): void {
      if (!this.isConnected) return
      if (changed === "theme") return this.#widget?.setTheme(this.#theme)
      this.disconnectedCallback()
      this.connectedCallback()
    }

    get #theme(): Theme {
      return (this.getAttribute("theme") as Theme | null) ?? "auto"
    }
  }
