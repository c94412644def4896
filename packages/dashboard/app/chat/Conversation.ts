import { endReply, keepChatDocuments, type StoredChat, type StoredMessage } from "../api/chats.ts"
import { hasStatus, mayPass, parley } from "../api/parley.ts"
import { type ConversationFacts, NOTHING } from "./ConversationFacts.ts"
import { factsOf, messageOf, newMessage, type ReplyMessage, withVersionsOf } from "./ReplyMessage.ts"
import { type ReplyStart, ShownMessages } from "./ShownMessages.ts"

/** The functions that a conversation calls to inform the page around it. */
export interface ConversationEvents {
  /** Called when the server has given a new chat its id. */
  readonly onCreated: (conversation: Conversation, chatId: string) => void
  /**
   * Called when a reply has begun or ended, or when a chat has changed, so that the lists and the balance are read
   * again.
   */
  readonly onChanged: () => void
  /** Called when a reply to a question from this page has begun or ended. */
  readonly onAsked: () => void
  readonly onSessionEnded: () => void
  /** Called when the person has chosen documents. */
  readonly onChosen: (documentIds: ReadonlyArray<string>) => void
  /** Called when the server has refused a question, perhaps because a document was deleted elsewhere. */
  readonly onRefused: () => void
  /** Returns those of the given documents that the person still has, as far as this page knows. */
  readonly existing: (documentIds: ReadonlyArray<string>) => ReadonlyArray<string>
}

/** A sent question, and the messages that the page showed before it. */
interface Asked {
  readonly question: string | undefined
  readonly shown: ReadonlyArray<ReplyMessage>
}

/** The first pause before an ended reply that is not stored yet is read again. Later pauses are longer. */
const FIRST_PAUSE_MS = 150
const TOLD_WITHIN_MS = 120_000

/** The number of newest messages that are read to find a reply that has just ended. */
const NEWEST = 4

/** The longest pause between two tries to read a reply. */
const LONGEST_PAUSE_MS = 4_000

const pause = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds))

/**
 * A chat on this page, even if it is out of view: its messages, the running reply, and the settings of the next
 * question.
 */
export class Conversation {
  /** The id of the conversation on this page. It stays the same when a new chat gets its id from the server. */
  readonly id: string
  readonly chat: ShownMessages
  #facts: ConversationFacts
  readonly #events: ConversationEvents
  readonly #listeners = new Set<() => void>()
  #isStopping = false
  /** Resolves when the server has stopped the reply. */
  #stopped = Promise.resolve()
  /** True if the person has chosen or continued the shown branch. A newer branch then does not replace it. */
  #isChosen = false
  /** True while the page reads the ids of the messages that were sent and written last. */
  #isNaming = false

  constructor(
    events: ConversationEvents,
    facts: Partial<ConversationFacts> = {},
    messages: ReadonlyArray<ReplyMessage> = []
  ) {
    this.#events = events
    this.#facts = { ...NOTHING, ...facts }
    this.id = facts.chatId ?? crypto.randomUUID()
    this.chat = new ShownMessages(messages, {
      onStart: (start) => this.#begin(start),
      // Set at once, so that the page never shows a broken-off reply as ended.
      onBroken: () => this.#set({ isReconnecting: this.#facts.start !== undefined && !this.#isStopping })
    })
  }

  static stored(events: ConversationEvents, stored: StoredChat): Conversation {
    const { id, title, projectId, documentIds, nextBefore } = stored
    const conversation = new Conversation(events, { chatId: id, title, projectId, documentIds, nextBefore })
    conversation.#take(stored)
    return conversation
  }

  readonly facts = (): ConversationFacts => this.#facts

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  get isWriting(): boolean {
    return this.chat.isWriting
  }

  /** Sends a question, unless a reply is running. If no word of a reply arrives, `refusal` returns the question. */
  ask(question: string): Promise<void> {
    return this.#ask(this.chat.messages.length, question, this.#facts.imageIds)
  }

  /** Sends another version of a question, which takes its place in view. */
  readonly edit = (message: ReplyMessage, question: string): Promise<void> =>
    this.#ask(this.chat.messages.indexOf(message), question, message.imageIds)

  /** Requests another version of a reply, which takes its place in view. */
  readonly regenerate = async (message: ReplyMessage): Promise<void> => {
    // The reply's question may be among the earlier messages that are not shown yet.
    if (this.chat.messages[0] === message) await this.readEarlier().catch(() => 0)
    await this.#ask(this.chat.messages.indexOf(message), undefined)
  }

  /** Shows the branch that contains this message, which is another version of a shown one. */
  readonly show = async (messageId: string): Promise<void> => {
    const { chatId } = this.#facts
    if (chatId === undefined || this.isWriting) return
    try {
      const stored = await parley.chat.get(chatId, { leaf: messageId })
      if (this.isWriting) return
      this.#isChosen = true
      this.#set({ refusal: undefined, start: undefined })
      this.#take(stored)
    } catch (error) {
      this.#set({ refusal: { error, question: undefined } })
    }
  }

  /** Shows a message: its branch, and enough earlier messages to include it. */
  readonly reach = async (messageId: string): Promise<void> => {
    const isShown = () => this.chat.messages.some(({ metadata }) => metadata?.storedId === messageId)
    if (!isShown()) await this.show(messageId)
    while (!isShown() && (await this.readEarlier().catch(() => 0)) > 0);
  }

  /** Sends a question after the first `count` shown messages. */
  async #ask(count: number, question: string | undefined, imageIds?: ReadonlyArray<string>): Promise<void> {
    await this.#stopped
    if (this.isWriting || count < 0) return
    const shown = this.chat.messages
    const request = this.#request(question, this.#parentAt(count), imageIds)
    this.#set({ refusal: undefined, start: undefined })
    this.#isStopping = false
    this.#isNaming = false
    this.#isChosen = true
    const asked = question === undefined ? [] : [newMessage("user", question, imageIds)]
    this.chat.messages = [...shown.slice(0, count), ...asked]
    await this.chat.ask(request)
    await this.#end({ question, shown })
    this.#events.onAsked()
  }

  /** The id of the message before the place `place`: undefined if this page does not know it, null if there is none. */
  #parentAt(place: number): string | null | undefined {
    const { messages } = this.chat
    const known = messages[place]?.metadata?.parentId
    if (known !== undefined) return known
    const before = messages[place - 1]
    if (before === undefined) return null
    return before.metadata?.storedId ?? (before.role === "assistant" ? this.#facts.start?.messageId : undefined)
  }

  /** Stops the running reply, also on the server, so that its cost does not grow. */
  async stop(): Promise<void> {
    this.#isStopping = true
    const { chatId } = this.#facts
    // Closes the connection first, so that nothing more is shown. The reply on the server does not depend on it.
    this.chat.stop()
    if (chatId !== undefined) await (this.#stopped = endReply(chatId))
  }

  /** Shows the server's state of the chat, unless this page is writing. */
  readonly follow = (stored: StoredChat): void => {
    if (this.isWriting || this.#isNaming || this.#facts.isReconnecting || this.#facts.isJoining) return
    this.#set({ title: stored.title, projectId: stored.projectId })
    const noted = this.#isChosen ? withVersionsOf(stored.messages, this.chat.messages) : undefined
    if (noted !== undefined) {
      this.chat.messages = noted
      return
    }
    const shown = this.chat.messages.slice(-stored.messages.length)
    const isShown = stored.messages.every(({ id, state, versions = [] }, index) => {
      const facts = shown[index]?.metadata
      return facts?.storedId === id && facts.state === state && facts.versions?.length === versions.length
    })
    if (!isShown || stored.running !== null) this.#take(stored)
  }

  dismissRefusal(): void {
    this.#set({ refusal: undefined })
  }

  rename(title: string): void {
    this.#set({ title })
  }

  /** Sets the project of the chat; null for none. */
  beginIn(projectId: string | null): void {
    if (projectId !== this.#facts.projectId) this.#set({ projectId })
  }

  chooseModel(modelId: string): void {
    this.#set({ modelId })
  }

  /** Sets the images of the next question. */
  attachImages(imageIds: ReadonlyArray<string>): void {
    this.#set({ imageIds })
  }

  /** Sets the initial documents, which count until the person chooses others. */
  beginWith(documentIds: ReadonlyArray<string>): void {
    this.#set({ documentIds })
  }

  /** Sets the documents for further questions, and stores them for the next time the chat is opened. */
  async choose(documentIds: ReadonlyArray<string>): Promise<void> {
    this.#set({ documentIds })
    this.#events.onChosen(documentIds)
    const { chatId } = this.#facts
    if (chatId !== undefined) await keepChatDocuments(chatId, documentIds)
  }

  /** Shows earlier messages. Returns their number. */
  async readEarlier(): Promise<number> {
    const { chatId, nextBefore } = this.#facts
    if (chatId === undefined || nextBefore === null) return 0
    const earlier = await parley.chat.get(chatId, { before: nextBefore })
    this.chat.messages = [...earlier.messages.map(messageOf), ...this.chat.messages]
    this.#set({ nextBefore: earlier.nextBefore })
    return earlier.messages.length
  }

  /**
   * The request that sends a question after a message. Without a question it asks for another version of the reply to
   * that message.
   */
  #request(
    question: string | undefined,
    parentMessageId: string | null | undefined,
    imageIds: ReadonlyArray<string> = []
  ) {
    const { chatId, modelId, documentIds = [], projectId } = this.#facts
    return {
      messages: question === undefined ? [] : [{ role: "user" as const, content: question, imageIds }],
      ...(chatId === undefined ? {} : { chatId }),
      ...(chatId !== undefined || projectId === null ? {} : { projectId }),
      ...(chatId === undefined || parentMessageId === undefined ? {} : { parentMessageId }),
      ...(modelId === undefined ? {} : { modelId }),
      documentIds: this.#events.existing(documentIds)
    }
  }

  #begin(start: ReplyStart): void {
    const isNew = this.#facts.chatId === undefined && start.chatId !== ""
    const { imageIds: sent = [] } = this.chat.messages.findLast(({ role }) => role === "user") ?? {}
    const imageIds = this.#facts.imageIds.filter((id) => !sent.includes(id))
    this.#set({ start, isReconnecting: false, imageIds, ...(isNew ? { chatId: start.chatId } : {}) })
    if (isNew) this.#events.onCreated(this, start.chatId)
    else this.#events.onChanged()
    if (!this.#facts.isJoining) this.#events.onAsked()
  }

  /** Shows the messages that the server has stored, and joins the running reply. */
  #take({ messages, nextBefore, running }: StoredChat): void {
    const shown = this.chat.messages
    const earlier = shown.findIndex(({ metadata }) => metadata?.storedId === messages[0]?.id)
    const ids = new Map(shown.map(({ id, metadata }) => [metadata?.storedId, id]))
    const newer = messages
      .filter(({ id }) => id !== running?.messageId)
      .map((message) => ({ ...messageOf(message), id: ids.get(message.id) ?? message.id }))
    this.chat.messages = [...shown.slice(0, Math.max(earlier, 0)), ...newer]
    if (earlier <= 0) this.#set({ nextBefore })
    const newest = messages.at(-1)
    if (running !== null) void this.#join(running.messageId)
    else if (newest?.role === "assistant" && newest.credits === null) void this.#complete(newest.id)
  }

  async #join(messageId: string): Promise<void> {
    this.#isStopping = false
    const { chatId } = this.#facts
    this.#set({ isJoining: true, start: undefined })
    if (chatId !== undefined) await this.chat.join(chatId, messageId)
    this.#set({ isJoining: false })
    if (this.#facts.start !== undefined || this.chat.error !== undefined) return this.#end(undefined)
    // The reply ended before it could be joined.
    this.#isStopping = false
    await this.#findAgain()
  }

  /**
   * Called after a reply: reads it again if the connection broke. If no reply came, the former messages are shown
   * again.
   */
  async #end(asked: Asked | undefined): Promise<void> {
    const { error } = this.chat
    const { start } = this.#facts
    if (hasStatus(error, 401)) this.#events.onSessionEnded()
    if (start === undefined && asked !== undefined) {
      const { question, shown } = asked
      this.chat.messages = shown
      this.chat.clearError()
      if (!this.#isStopping) this.#events.onRefused()
      this.#set({ refusal: this.#isStopping ? { error: undefined, question } : { error, question } })
      return
    }
    if (error !== undefined && !this.#isStopping) {
      await this.#findAgain()
      return
    }
    this.#events.onChanged()
    await this.#complete(start?.messageId)
  }

  /**
   * Called after the connection broke: rejoins the reply from its beginning, or reads its result, as soon as the server
   * answers.
   */
  async #findAgain(): Promise<void> {
    const { chatId } = this.#facts
    if (chatId === undefined) return
    this.#set({ isReconnecting: true })
    for (let wait = FIRST_PAUSE_MS; !this.#isStopping; wait = Math.min(wait * 2, LONGEST_PAUSE_MS)) {
      await pause(wait)
      try {
        const stored = await this.#readBranch(chatId)
        this.chat.clearError()
        this.#set({ isReconnecting: false })
        this.#take(stored)
        this.#events.onChanged()
        return
      } catch (error) {
        if (!mayPass(error)) break
      }
    }
    this.#set({ isReconnecting: false })
  }

  /** Reads the branch of the last reply, or the newest branch if that reply is not stored. */
  #readBranch(chatId: string): Promise<StoredChat> {
    const leaf = this.#facts.start?.messageId
    return parley.chat.get(chatId, { leaf }).catch((error: unknown) => {
      if (leaf === undefined || !hasStatus(error, 404)) throw error
      return parley.chat.get(chatId)
    })
  }

  /**
   * Adds the server's data about an ended reply: its state, sources and cost. It tries several times, because a stopped
   * reply is stored and charged a moment later.
   */
  async #complete(messageId: string | undefined): Promise<void> {
    const { chatId } = this.#facts
    if (chatId === undefined) return
    this.#isNaming = true
    let wait = FIRST_PAUSE_MS
    for (let waited = 0; waited < TOLD_WITHIN_MS; waited += wait, wait = Math.min(wait * 2, LONGEST_PAUSE_MS)) {
      const stored = await parley.chat.get(chatId, { limit: NEWEST, leaf: messageId }).catch(() => undefined)
      if (this.isWriting) return
      const reply = stored?.messages.findLast(({ id, role }) => role === "assistant" && (messageId ?? id) === id)
      if (stored !== undefined && reply !== undefined && reply.state !== "streaming") {
        this.#set({ title: stored.title })
        this.#tell(stored.messages.slice(0, stored.messages.indexOf(reply) + 1))
        this.#isNaming = false
        if (reply.credits !== null) break
      }
      await pause(wait)
    }
    this.#isNaming = false
    this.#events.onChanged()
  }

  /** Adds the stored data of the newest messages to the shown ones. The last stored message is the newest reply. */
  #tell(stored: ReadonlyArray<StoredMessage>): void {
    const shown = this.chat.messages
    const reply = stored.at(-1)
    const newest = shown.findLastIndex(
      ({ metadata, role }) => role === "assistant" && (metadata?.storedId ?? reply?.id) === reply?.id
    )
    this.chat.messages = shown.map((message, index) => {
      const known = stored.at(index - newest - 1)
      if (index > newest || known?.role !== message.role) return message
      const text = message.text === "" || known.state === "complete" ? known.content : message.text
      if (index === newest) return { ...message, text, metadata: factsOf(known) }
      const isSame = index === newest - 1 || message.text === known.content
      return isSame ? { ...message, metadata: factsOf(known) } : message
    })
  }

  #set(facts: Partial<ConversationFacts>): void {
    this.#facts = { ...this.#facts, ...facts }
    for (const listener of this.#listeners) listener()
  }
}
