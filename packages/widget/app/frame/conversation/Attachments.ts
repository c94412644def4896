import { type AttachedFile, MAX_FILE_BYTES } from "../api/files.ts"
import type { Attached, ConversationApi } from "../api/WidgetApi.ts"
import type { Memory } from "../VisitorMemory.ts"

/** The interval of reading the states of files that the server is processing, in milliseconds. */
const LOOK_MS = 2_000

interface AttachmentsInput {
  readonly api: ConversationApi
  readonly memory: Memory
  readonly onChange: () => void
}

/** The files of the conversation: sends them, and reads the states of those that the server is processing. */
export class Attachments {
  readonly #input: AttachmentsInput
  #files: ReadonlyArray<AttachedFile> = []
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(input: AttachmentsInput) {
    this.#input = input
  }

  get files(): ReadonlyArray<AttachedFile> {
    return this.#files
  }

  /** True while a file is being sent. A file may begin the conversation, so no message is sent meanwhile. */
  get isSending(): boolean {
    return this.#files.some(({ state }) => state === "sending")
  }

  /** Sends files one after another. Files that were refused before are no longer shown. */
  async add(files: ReadonlyArray<File>): Promise<void> {
    if (this.isSending || files.length === 0) return
    const before = this.#files.filter(({ state }) => state !== "refused")
    const waiting = files.map(({ name }): AttachedFile => ({ name, state: "sending", words: "fileSending" }))
    this.#set([...before, ...waiting])
    for (const [place, file] of files.entries()) {
      const sending = waiting[place]
      const sent = await this.#send(file)
      // The visitor has left the conversation meanwhile.
      if (sending === undefined || !this.#files.includes(sending)) return
      this.#input.memory.conversationId = sent.conversationId
      this.#set(this.#files.map((each) => (each === sending ? sent.file : each)))
    }
    this.#lookSoon()
  }

  /** Shows the files that the server has of this conversation. */
  resume(files: ReadonlyArray<AttachedFile>): void {
    this.#set(files)
    this.#lookSoon()
  }

  /** Removes the files, because the conversation has ended. */
  leave(): void {
    clearTimeout(this.#timer)
    this.#set([])
  }

  async #send(file: File): Promise<Attached> {
    const { api, memory } = this.#input
    const { conversationId, visitorId } = memory
    if (file.size > MAX_FILE_BYTES) {
      return { conversationId, file: { name: file.name, state: "refused", words: "fileTooLarge" } }
    }
    const answer = await api.attach(visitorId, conversationId, file)
    // The conversation was deleted on the server, so the file begins a new one.
    return answer.isForgotten === true ? api.attach(visitorId, undefined, file) : answer
  }

  #lookSoon(): void {
    clearTimeout(this.#timer)
    const isReading = this.#files.some(({ state }) => state === "processing")
    if (isReading) this.#timer = setTimeout(() => void this.#look(), LOOK_MS)
  }

  async #look(): Promise<void> {
    const { api, memory } = this.#input
    const { conversationId, visitorId } = memory
    if (conversationId === undefined || this.isSending) return this.#lookSoon()
    const answer = await api.transcript(visitorId, conversationId)
    if (memory.conversationId !== conversationId) return
    if (answer.kind === "forgotten") return this.leave()
    if (answer.kind === "transcript" && answer.files !== undefined && !this.isSending) {
      this.#set([...answer.files, ...this.#files.filter(({ state }) => state === "refused")])
    }
    this.#lookSoon()
  }

  #set(files: ReadonlyArray<AttachedFile>): void {
    this.#files = files
    this.#input.onChange()
  }
}
