import type { Message } from "@parley/client"
import type { SpokenReply } from "./SpokenReply.ts"

/** An announcement about a reply, besides its words. */
export type Remark = "writing" | "done" | "stopped" | "failed"

/** The reply as the page shows it at the moment. */
export interface ShownReply {
  /** It is awaited, written, or looked for since its connection was lost. */
  readonly isBusy: boolean
  /**
   * No reply came and the question returned to the person: they stopped it, or it was refused, which an alert
   * announces.
   */
  readonly refusal: "stopped" | "refused" | undefined
  readonly text: string
  /** The final state, as soon as the server has reported it. */
  readonly state: Message["state"] | undefined
}

export interface Narrated {
  readonly sentences: ReadonlyArray<string>
  readonly remark: Remark | undefined
}

const NOTHING: Narrated = { sentences: [], remark: undefined }

const ENDS: Readonly<Partial<Record<Message["state"], Remark>>> = {
  complete: "done",
  stopped: "stopped",
  failed: "failed"
}

/**
 * Decides the announcements about a reply. A lost connection does not end it: the reply continues, and its end is the
 * one that the server stored.
 */
export class ReplyNarration {
  #spoken: SpokenReply | undefined
  #isFollowing = false

  /** `speak` creates the speaker of a reply; undefined until it is loaded. */
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

  /** True if it follows a reply that has not ended. */
  get isFollowing(): boolean {
    return this.#isFollowing
  }

  #end(remark: Remark | undefined): Narrated {
    this.#isFollowing = false
    return { sentences: [], remark }
  }
}
