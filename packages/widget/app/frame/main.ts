import type { HostState } from "../../src/host/messages.ts"
import { type BotConfig, configFrom } from "./api/BotConfig.ts"
import { PREVIEW, previewApi } from "./api/previewApi.ts"
import { type ConversationApi, WidgetApi } from "./api/WidgetApi.ts"
import { applyLook } from "./applyLook.ts"
import { Conversation } from "./conversation/Conversation.ts"
import { HostPage } from "./HostPage.ts"
import { Catalogue, type Texts } from "./languages/Catalogue.ts"
import { languageAt, loadTexts } from "./languages/languages.ts"
import { readConfig } from "./readConfig.ts"
import { ChatView } from "./view/ChatView.ts"
import { type Memory, VisitorMemory } from "./VisitorMemory.ts"
import "./frame.css"

/** Longest wait for the embedding page's state, in milliseconds. Afterwards the chat continues without the state. */
const PATIENCE_MS = 1_000

/** The chat of one bot: its settings, its messages, and the state that the embedding page requests. */
class Frame {
  readonly #language = languageAt(location.href, navigator.languages)
  readonly #api = new WidgetApi(location.href, this.#language)
  readonly #host = new HostPage((state) => this.#apply(state))
  #state: HostState = { isOpen: window.parent === window, theme: "auto", texts: {} }
  #texts: Texts | undefined
  #config: BotConfig | undefined
  #conversation: Conversation | undefined
  #view: ChatView | undefined
  #isAbsent = false
  #wasConnected = false

  async run(): Promise<void> {
    this.#host.greet()
    addEventListener("keydown", (event) => {
      const isTaken = event.defaultPrevented || document.querySelector("dialog[open]") !== null
      if (event.key === "Escape" && !isTaken) this.#close()
    })
    if (this.#api.publicKey === PREVIEW) return this.#preview()
    const reading = readConfig(this.#api, () => this.#say("connecting"))
    this.#texts = await loadTexts(this.#language)
    const config = await reading
    if (config === undefined) {
      this.#isAbsent = true
      return this.#show()
    }
    this.#config = config
    this.#conversation = this.#converse(this.#api, new VisitorMemory(this.#api.publicKey), config)
    this.#show()
    if (this.#state.isOpen) this.#opened()
    else setTimeout(() => this.#host.isConnected || this.#opened(), PATIENCE_MS)
  }

  /** Shows the settings that the dashboard sends, with a conversation that is neither charged nor stored. */
  async #preview(): Promise<void> {
    this.#texts = await loadTexts(this.#language)
    const sample = new Catalogue(this.#texts, {}).say("previewReply")
    this.#conversation = this.#converse(previewApi(sample), { visitorId: "", conversationId: undefined })
    this.#show()
  }

  #converse(api: ConversationApi, memory: Memory, config?: BotConfig): Conversation {
    return new Conversation({
      api,
      memory,
      showsSources: config?.showSources ?? false,
      opensAt: config?.opensAt,
      surroundings: () => ({
        // The query and the fragment of an address may name a person, so they are removed. Earlier loaders do not send
        // the address.
        page: (this.#state.page ?? document.referrer).split(/[?#]/)[0] || undefined,
        language: document.documentElement.lang.startsWith("de") ? "de" : "en"
      }),
      onEvent: (event) => this.#host.tell(event)
    })
  }

  #apply(state: HostState): void {
    const before = this.#state
    this.#state = state
    const isFirst = !this.#wasConnected
    this.#wasConnected = true
    if (this.#api.publicKey === PREVIEW && state.bot !== undefined) this.#config = configFrom(state.bot)
    const shown = ({ bot, texts, theme }: HostState) => JSON.stringify([texts, theme, bot])
    if (isFirst || shown(before) !== shown(state)) this.#show()
    if (state.isOpen && !before.isOpen) this.#opened()
  }

  /** Draws the chat, or draws it again if its texts have changed, and sends the bot's look and name to the page. */
  #show(): void {
    if (this.#texts === undefined) return
    const texts = new Catalogue(this.#texts, this.#state.texts)
    const config = this.#config
    const conversation = this.#conversation
    document.documentElement.lang = texts.lang
    document.documentElement.dir = texts.dir
    if (this.#isAbsent) {
      this.#host.tell({ type: "absent" })
      return this.#say("absent")
    }
    if (config === undefined || conversation === undefined) return
    const look = applyLook(config, this.#state.theme)
    const { displayName: name, launcherText, position } = config
    // The label contains the visible words, so that visitors can name the button by voice control (WCAG 2.5.3).
    const labelOf = (label: "launcher" | "launcherUnread") =>
      [launcherText, texts.say(label, { name })].filter((text) => text !== undefined).join(", ")
    document.title = texts.say("frame", { name })
    const draft = this.#view?.composer.text ?? ""
    this.#view?.dispose()
    const onClose = this.#host.isConnected ? () => this.#close() : undefined
    this.#view = new ChatView({ config, conversation, texts, onClose })
    this.#view.composer.text = draft
    document.body.replaceChildren(this.#view.element)
    this.#host.tell({
      type: "ready",
      lang: texts.lang,
      displayName: name,
      primaryColor: look.fill,
      inkColor: look.ink,
      look,
      position,
      launcherText,
      launcherLabel: labelOf("launcher"),
      unreadLabel: labelOf("launcherUnread"),
      frameTitle: texts.say("frame", { name })
    })
  }

  #opened(): void {
    if (this.#view === undefined) return
    void this.#conversation?.restore()
    if (this.#state.isOpen) this.#view.focus()
  }

  #close(): void {
    this.#host.tell({ type: "close" })
  }

  /** Shows one sentence in the place of the chat; nothing until the texts are loaded. */
  #say(text: "connecting" | "absent"): void {
    if (this.#texts === undefined) return
    const line = document.createElement("p")
    const main = document.createElement("main")
    line.textContent = new Catalogue(this.#texts, this.#state.texts).say(text)
    line.role = "status"
    main.className = "alone"
    main.append(line)
    document.body.replaceChildren(main)
  }
}

void new Frame().run()
