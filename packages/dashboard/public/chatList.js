import * as api from "./api.js"
import { confirm } from "./confirm.js"
import { element, find } from "./element.js"
import { momentOf } from "./wording.js"

const PAGE = 20

/** The person's chats, last used first. */
export class ChatList {
  #list = find("chat-list", HTMLUListElement)
  #empty = find("chat-empty", HTMLElement)
  #more = find("chat-more", HTMLButtonElement)
  #limit = PAGE
  /** @type {string | undefined} */
  #current
  #handlers

  /**
   * @param {{ onOpen: (chatId: string) => void, onDeleted: (chatId: string) => void,
   *   onProblem: (error: unknown) => void }} handlers
   */
  constructor(handlers) {
    this.#handlers = handlers
    this.#more.addEventListener("click", () => {
      this.#limit += PAGE
      this.refresh().catch(handlers.onProblem)
    })
  }

  async refresh() {
    const { chats, total } = await api.readChats({ limit: this.#limit, offset: 0 })
    this.#list.replaceChildren(...chats.map((chat) => this.#rowOf(chat)))
    this.#empty.hidden = chats.length > 0
    this.#more.hidden = chats.length >= total
    this.#markCurrent()
  }

  /** Marks the chat that is open. @param {string | undefined} chatId */
  mark(chatId) {
    this.#current = chatId
    this.#markCurrent()
  }

  clear() {
    this.#limit = PAGE
    this.#current = undefined
    this.#list.replaceChildren()
  }

  /** @param {api.ChatSummary} chat */
  #rowOf(chat) {
    const title = chat.title.trim() === "" ? "Untitled chat" : chat.title
    const open = element(
      "button",
      { type: "button", class: "chat-open", click: () => this.#handlers.onOpen(chat.id) },
      element("span", { class: "chat-title" }, title),
      element("span", { class: "quiet" }, momentOf(chat.updatedAt))
    )
    const remove = element(
      "button",
      {
        type: "button",
        class: "icon-button",
        "aria-label": `Delete the chat ${title}`,
        click: () => void this.#delete(chat.id, title)
      },
      "×"
    )
    const row = element("li", { class: "chat" }, open, remove)
    row.dataset["chat"] = chat.id
    return row
  }

  /** @param {string} chatId @param {string} title */
  async #delete(chatId, title) {
    if (!(await confirm({ question: `Delete this chat? “${title}”`, verb: "Delete" }))) return
    try {
      await api.deleteChat(chatId)
      this.#handlers.onDeleted(chatId)
      await this.refresh()
      find("new-chat", HTMLButtonElement).focus()
    } catch (error) {
      this.#handlers.onProblem(error)
    }
  }

  #markCurrent() {
    for (const row of this.#list.querySelectorAll("li")) {
      const open = row.querySelector(".chat-open")
      if (row.dataset["chat"] === this.#current) open?.setAttribute("aria-current", "true")
      else open?.removeAttribute("aria-current")
    }
  }
}
