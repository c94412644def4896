import type { BotConfig } from "../api/BotConfig.ts"
import type { Conversation, Obstacle } from "../conversation/Conversation.ts"
import { element } from "../element.ts"
import { icon } from "../icon.ts"
import { MarkdownView } from "../markdown/MarkdownView.ts"
import type { Catalogue } from "../languages/Catalogue.ts"
import { Announcer } from "./Announcer.ts"
import { cardList } from "./cardList.ts"
import { Composer } from "./Composer.ts"
import { FileList } from "./FileList.ts"
import { LinkDialog } from "./LinkDialog.ts"
import { MessageLog } from "./MessageLog.ts"
import { initialOf, type MessageSurroundings } from "./MessageView.ts"
import { ObstacleNotice } from "./ObstacleNotice.ts"
import { PersonNotice } from "./PersonNotice.ts"
import { saveText, transcriptText } from "./transcriptText.ts"

interface ChatInput {
  readonly config: BotConfig
  readonly conversation: Conversation
  readonly texts: Catalogue
  /** Closes the chat; undefined if no embedding page can close it. */
  readonly onClose: (() => void) | undefined
}

/** Obstacles during which the visitor cannot send a message. */
const HOLDING: ReadonlyArray<Obstacle["kind"]> = ["absent", "challenge", "limit"]

/** The complete chat: messages, notices and input. */
export class ChatView {
  readonly element: HTMLElement
  readonly composer: Composer
  readonly #input: ChatInput
  readonly #announcer = new Announcer()
  readonly #log: MessageLog
  readonly #notice: ObstacleNotice
  readonly #person: PersonNotice
  readonly #files: FileList
  readonly #suggestions: HTMLElement
  readonly #cards: HTMLElement
  readonly #history: HTMLElement
  readonly #save: HTMLElement
  readonly #disposal = new AbortController()
  #wasRunning = false
  #frame = 0

  constructor(input: ChatInput) {
    const { config, conversation, texts } = input
    this.#input = input
    const links = new LinkDialog(texts)
    const surroundings: MessageSurroundings = {
      texts,
      botName: config.displayName,
      showsSources: config.showSources,
      announcer: this.#announcer,
      onLink: (address) => links.ask(address),
      onRate: (message, rating) => void conversation.rate(message, rating)
    }
    this.composer = new Composer({
      texts,
      onSend: (text) => this.#send(text),
      onStop: () => conversation.stop(),
      onFiles: config.takesFiles ? (files) => void conversation.attach(files) : undefined
    })
    this.#notice = new ObstacleNotice({
      texts,
      announcer: this.#announcer,
      onRetry: (challengeToken) => {
        // A challenge may be solved without an action of the visitor; then it must not move the focus.
        const { activeElement } = document
        if (challengeToken === undefined || this.#notice.element.contains(activeElement)) this.composer.focus()
        void conversation.retry(challengeToken)
      },
      onChallengeFailed: () => conversation.failChallenge(),
      onLimitOver: () => {
        conversation.clearObstacle()
        this.#announcer.say(texts.say("limitOver"))
      }
    })
    this.#files = new FileList(texts, this.#announcer)
    const { person } = conversation
    this.#person = new PersonNotice({ texts, announcer: this.#announcer, person, name: config.personName })
    this.#history = element("p", { class: "note", hidden: true }, texts.say("noHistory"))
    this.#suggestions = this.#suggest()
    this.#cards = cardList(config.cards, (question) => this.#ask(question))
    this.#save = headerButton("save", texts.say("save"), () =>
      saveText(`${config.displayName}.txt`, transcriptText(conversation.messages, texts, config.displayName))
    )
    const first = [this.#welcome(surroundings), this.#cards, this.#history]
    const last = element("div", {}, this.#notice.element, this.#person.element, this.#suggestions)
    this.#log = new MessageLog(surroundings, texts, first, last)
    this.element = element(
      "div",
      { class: "chat" },
      this.#header(),
      element("main", {}, this.#log.element),
      this.#footer(),
      this.#announcer.element,
      links.element
    )
    conversation.onChange(() => this.#changed(), this.#disposal.signal)
    this.#show()
  }

  /** Focuses the place at which the visitor continues, without opening an on-screen keyboard. */
  focus(): void {
    if (matchMedia("(pointer:coarse)").matches) this.#log.focus()
    else this.composer.focus()
    this.#log.toEnd()
  }

  dispose(): void {
    this.#disposal.abort()
    this.#notice.dispose()
    this.#person.dispose()
    cancelAnimationFrame(this.#frame)
    this.element.remove()
  }

  #send(text: string): void {
    this.#announcer.clear()
    this.#log.toEnd()
    void this.#input.conversation.send(text)
  }

  /** Sends a question that the bot's owner suggested. */
  #ask(question: string): void {
    this.#send(question)
    this.composer.focus()
  }

  /** Draws once for each frame of the screen, however many pieces of a reply arrive. */
  #changed(): void {
    if (this.#frame !== 0) return
    this.#frame = requestAnimationFrame(() => {
      this.#frame = 0
      this.#show()
    })
  }

  #show(): void {
    const { config, conversation, texts } = this.#input
    const { isRunning, lacksHistory, messages, obstacle } = conversation
    if (isRunning !== this.#wasRunning) {
      const isWriting = isRunning && !conversation.person.isActive
      this.#announcer.sayForNow(isWriting ? texts.say("writing", { name: config.displayName }) : undefined)
    }
    this.#wasRunning = isRunning
    this.#history.hidden = !lacksHistory
    this.#save.hidden = messages.length === 0
    this.#suggestions.hidden = this.#cards.hidden = messages.length > 0 || obstacle !== undefined
    this.#notice.show(obstacle, messages.at(-1)?.state === "unsent")
    this.#person.show(config.handOver && conversation.cannotAnswer)
    this.#log.show(messages)
    const returned = conversation.takeReturned()
    if (returned !== undefined && this.composer.text === "") this.composer.text = returned
    const { files, isSending } = conversation.attachments
    this.#files.show(files)
    const isHeld = isSending || (obstacle !== undefined && HOLDING.includes(obstacle.kind))
    this.composer.set({ isRunning, isHeld })
  }

  #header(): HTMLElement {
    const { config, conversation, onClose, texts } = this.#input
    const startOver = () => {
      conversation.startOver()
      this.composer.focus()
    }
    return element(
      "header",
      {},
      element("div", { class: "avatar", "aria-hidden": "true" }, initialOf(config.displayName)),
      element(
        "div",
        { class: "who" },
        element("h1", {}, element("bdi", {}, config.displayName)),
        element("p", {}, texts.say("subtitle"))
      ),
      this.#save,
      headerButton("restart", texts.say("startOver"), startOver),
      onClose === undefined ? undefined : headerButton("close", texts.say("close"), onClose)
    )
  }

  #footer(): HTMLElement {
    const { config, texts } = this.#input
    const disclaimer = texts.say("disclaimer")
    return element(
      "footer",
      {},
      config.handOver && this.#person.button,
      this.#files.element,
      this.composer.element,
      disclaimer !== "" && element("p", { class: "disclaimer" }, disclaimer)
    )
  }

  #welcome(surroundings: MessageSurroundings): HTMLElement {
    const { config, texts } = this.#input
    const bubble = element("div", { class: "bubble" })
    const drawing = {
      onLink: surroundings.onLink,
      citation: () => undefined,
      imageLabel: (text: string) => texts.say("image", { text })
    }
    // Two spaces at the end of a line keep the line breaks that the bot's owner wrote.
    new MarkdownView(bubble, drawing).show(config.welcomeMessage.replace(/([^\n])\n(?!\n)/g, "$1  \n"), true)
    return element(
      "div",
      { class: "message bot", hidden: config.welcomeMessage.trim() === "" },
      element("div", { class: "avatar", "aria-hidden": "true" }, initialOf(config.displayName)),
      element("div", { class: "body" }, bubble)
    )
  }

  #suggest(): HTMLElement {
    const { config, texts } = this.#input
    const questions = config.suggestedQuestions.map((question) => {
      const click = () => this.#ask(question)
      return element("li", {}, element("button", { type: "button", dir: "auto", click }, question))
    })
    return element("ul", { class: "suggestions", "aria-label": texts.say("suggestions") }, ...questions)
  }
}

const headerButton = (name: "restart" | "close" | "save", label: string, click: () => void): HTMLElement =>
  element("button", { type: "button", class: "round", "aria-label": label, title: label, click }, icon(name))
