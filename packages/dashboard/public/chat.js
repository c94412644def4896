import * as api from "./api.js"
import { readCosts } from "./costs.js"
import { find } from "./element.js"
import { askAgain, replyNotes } from "./replyNotes.js"
import { streamReply } from "./replyStream.js"
import { countOf } from "./wording.js"

/** How often, and with which first pause in milliseconds, an ended reply is looked for until it is stored and settled. */
const TRIES = 6
const FIRST_PAUSE = 150

/** How many of the newest messages are read to find a reply that just ended. */
const NEWEST = 4

/** How many charges are read to tell the costs of an opened chat, and of a reply that just ended. */
const COSTS = { chat: 200, reply: 10 }

/**
 * @typedef {{
 *   transcript: import("./transcript.js").Transcript,
 *   announcer: import("./announcer.js").Announcer,
 *   documents: import("./documents.js").Documents,
 *   models: { chosen: () => string | undefined },
 *   composer: import("./composer.js").Composer,
 *   onReplied: () => void,
 *   onMoved: (chatId: string | undefined) => void,
 *   onProblem: (error: unknown, place: HTMLElement) => void
 * }} ChatParts
 */

/** The open chat: asking, stopping, showing what came. */
export class Chat {
  #problem = find("chat-problem", HTMLElement)
  /** @type {string | undefined} */
  #chatId
  /** @type {AbortController | undefined} */
  #asking
  #asked = Promise.resolve()
  #parts

  /** @param {ChatParts} parts */
  constructor(parts) {
    this.#parts = parts
  }

  /** The id of the open chat; undefined for a new one. */
  current() {
    return this.#chatId
  }

  /** Asks, unless a reply is being written. @param {string} content */
  send(content) {
    if (this.#asking !== undefined) return
    this.#asking = new AbortController()
    this.#asked = this.#ask(content, this.#asking.signal).catch((error) => this.#fail(error))
  }

  /** Ends the reply that is being written. */
  stop() {
    this.#asking?.abort()
  }

  /** @param {string} chatId */
  async open(chatId) {
    await this.clear()
    try {
      const [stored, costs] = await Promise.all([api.readChat(chatId), readCosts(COSTS.chat)])
      this.#move(chatId)
      this.#parts.transcript.show(stored.messages, costs)
      this.#offerEarlier(stored, costs)
      this.#parts.announcer.say(`Opened ${stored.title}: ${countOf(stored.messages.length, "message")}.`)
    } catch (error) {
      this.#fail(error)
    }
    this.#parts.composer.focus()
  }

  /**
   * Lets a person read what was said before these messages, page by page.
   * @param {api.StoredChat} stored
   * @param {Map<string, import("./costs.js").Cost>} costs
   */
  #offerEarlier(stored, costs) {
    const { transcript, announcer } = this.#parts
    const before = stored.nextBefore
    const read = async () => {
      transcript.offerEarlier(undefined)
      try {
        const earlier = await api.readChat(stored.id, { before: before ?? "" })
        if (this.#chatId !== stored.id) return
        transcript.showEarlier(earlier.messages, costs)
        announcer.say(`${countOf(earlier.messages.length, "earlier message")}.`)
        this.#offerEarlier(earlier, costs)
      } catch (error) {
        this.#offerEarlier(stored, costs)
        this.#fail(error)
      }
    }
    transcript.offerEarlier(before === null ? undefined : () => void read())
  }

  async startNew() {
    await this.clear()
    this.#parts.composer.focus()
  }

  /** Stops what is being written and leaves the chat. */
  async clear() {
    this.stop()
    await this.#asked
    this.#problem.replaceChildren()
    this.#move(undefined)
    this.#parts.transcript.clear()
  }

  /** @param {string} content @param {AbortSignal} signal */
  async #ask(content, signal) {
    const { transcript, announcer, composer } = this.#parts
    this.#problem.replaceChildren()
    const question = transcript.addQuestion(content)
    const reply = transcript.addReply()
    composer.setWriting(true)
    announcer.say("The assistant is replying. Press Escape to stop.")
    const { start, state, error } = await this.#receive(content, reply, signal)
    this.#asking = undefined
    composer.setWriting(false)
    if (start === undefined) {
      transcript.remove(question, reply.view)
      composer.restore(content)
      if (state === "failed") this.#fail(error)
    } else {
      reply.end(state)
      announcer.say(SPOKEN[state])
      if (state === "failed") reply.append(askAgain(() => this.send(content)))
    }
    this.#parts.onReplied()
    if (start !== undefined && this.#chatId !== undefined) await this.#complete(reply, this.#chatId, start.messageId)
  }

  /**
   * Shows the reply while it arrives; gives how it ended. Without a `start` nothing of it came.
   * @param {string} content
   * @param {import("./reply.js").Reply} reply
   * @param {AbortSignal} signal
   * @returns {Promise<{ start: import("./replyStream.js").ReplyStart | undefined,
   *   state: "complete" | "stopped" | "failed", error?: unknown }>}
   */
  async #receive(content, reply, signal) {
    const { announcer, documents, models } = this.#parts
    const teller = announcer.teller()
    /** @type {import("./replyStream.js").ReplyStart | undefined} */
    let start
    const asked = { chatId: this.#chatId, modelId: models.chosen(), documentIds: documents.chosenIds(), content }
    try {
      await streamReply(asked, signal, {
        onStart: (started) => {
          start = started
          if (started.chatId !== "" && started.chatId !== this.#chatId) this.#move(started.chatId)
          const notes = replyNotes(started, (id) => documents.filename(id))
          if (notes !== undefined) reply.append(notes)
        },
        onText: (text) => {
          reply.write(text)
          teller.add(text)
        }
      })
      teller.finish()
      return { start, state: "complete" }
    } catch (error) {
      return { start, state: signal.aborted ? "stopped" : "failed", error }
    }
  }

  /**
   * Adds the sources and the cost of a reply that has ended. One that was stopped is stored and settled a moment after
   * the connection closes, hence the tries.
   * @param {import("./reply.js").Reply} reply
   * @param {string} chatId
   * @param {string} messageId
   */
  async #complete(reply, chatId, messageId) {
    let isCited = false
    for (let attempt = 0; attempt < TRIES; attempt += 1) {
      if (!isCited) {
        const stored = (await api.readChat(chatId, { limit: NEWEST })).messages.find(
          (message) => message.id === messageId
        )
        isCited = stored !== undefined && stored.state !== "streaming"
        if (isCited) reply.cite(messageId, stored?.sources ?? [])
      }
      const cost = isCited ? (await readCosts(COSTS.reply)).get(messageId) : undefined
      if (cost !== undefined) {
        reply.price(cost)
        return
      }
      await new Promise((resolve) => window.setTimeout(resolve, FIRST_PAUSE * 2 ** attempt))
    }
  }

  /** @param {string | undefined} chatId */
  #move(chatId) {
    this.#chatId = chatId
    this.#parts.onMoved(chatId)
  }

  /** @param {unknown} error */
  #fail(error) {
    this.#parts.onProblem(error, this.#problem)
  }
}

const SPOKEN = {
  complete: "The reply is complete.",
  stopped: "Stopped.",
  failed: "The reply broke off before it was complete."
}
