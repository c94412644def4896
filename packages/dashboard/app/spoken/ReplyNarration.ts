import type { MessageState } from "../api/chats.ts"
import type { SpokenReply } from "./SpokenReply.ts"

/** What is said about a reply besides its words. */
export type Remark = "writing" | "done" | "stopped" | "failed"

/** The reply as the page shows it at the moment. */
export interface ShownReply {
  /** It is awaited, written, or looked for since its connection was lost. */
  readonly isBusy: boolean
  /** No reply came and the question was given back: the person stopped it, or it was refused, which an alert says. */
  readonly refusal: "stopped" | "refused" | undefined
  readonly text: string
  /** How it ended, as soon as the server has said so. */
  readonly state: MessageState | undefined
}

export interface Narrated {
  readonly sentences: ReadonlyArray<string>
  readonly remark: Remark | undefined
}

const NOTHING: Narrated = { sentences: [], remark: undefined }

const ENDS: Readonly<Partial<Record<MessageState, Remark>>> = { complete: "done", stopped: "stopped", failed: "failed" }

/**
 * Decides what is said of a reply to people who do not see the page. A lost connection is no end: the reply goes on, and
 * how it ended is what the server stored.
 */
export class ReplyNarration {
  #spoken: SpokenReply | undefined
  #isFollowing = false

  /** `speak` makes what speaks a reply; undefined until it is loaded. */
  update({ isBusy, refusal, text, state }: ShownReply, speak: (() => SpokenReply) | undefined): Narrated {
    if (isBusy && !this.#isFollowing) {
      this.#isFollowing = true
      this.#spoken = undefined
      return { sentences: [], remark: "writing" }
    }
    if (!this.#isFollowing) return NOTHING
    if (refusal !== undefined && !isBusy) return this.#end(refusal === "stopped" ? "stopped" : undefined)
    const end = isBusy || state === undefined ? undefined : ENDS[state]
    this.#spoken ??= speak?.()
    const sentences = this.#spoken?.update(text, end !== undefined) ?? []
    return end === undefined ? { sentences, remark: undefined } : { ...this.#end(end), sentences }
  }

  /** Whether a reply is followed that has not ended. */
  get isFollowing(): boolean {
    return this.#isFollowing
  }

  #end(remark: Remark | undefined): Narrated {
    this.#isFollowing = false
    return { sentences: [], remark }
  }
}
