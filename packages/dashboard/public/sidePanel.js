import { find } from "./element.js"

/** Documents and chats: beside the conversation where there is room, behind a button where there is not. */
export const createSidePanel = () => {
  const app = find("app", HTMLElement)
  const toggle = find("toggle-side", HTMLButtonElement)

  /** @param {boolean} open */
  const set = (open) => {
    app.classList.toggle("side-open", open)
    toggle.setAttribute("aria-expanded", String(open))
  }
  const isOpen = () => app.classList.contains("side-open")

  toggle.addEventListener("click", () => set(!isOpen()))
  find("side", HTMLElement).addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !isOpen()) return
    set(false)
    toggle.focus()
  })
  return { close: () => set(false) }
}
