import type { Message } from "@parley/client"
import type { SpokenReply } from "./SpokenReply.ts"

/** An announcement about the state of a reply. */
export type Remark = "writing" | "done" | "stopped" | "failed"

/** The current state of the reply on the page. */
export interface ShownReply {
  /** True while the reply is awaited, written, or looked for after its connection broke. */
  readonly isBusy: boolean
  /**
   * The reason why no reply came and the question was returned: the person stopped it, or the server refused it, which
   * an alert announces.
   */
  readonly refusal: "stopped" | "refused" | undefined
  readonly text: string
  /** The final state of the reply, once the server has reported it. */
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
 * Decides which announcements about a reply are made. A lost connection does not end the narration, because the reply
 * continues: it ends with the state that the server stored.
 */
export class ReplyNarration {
  #spoken: SpokenReply | undefined
  #isFollowing = false

  /**
   * Returns the announcements for the current state. `speak` creates the speaker of a reply; it is undefined until its
   * code is loaded.
   */
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

  /** True while it narrates a reply that has not ended. */
  get isFollowing(): boolean {
    return this.#isFollowing
  }

  #end(remark: Remark | undefined): Narrated {
    this.#isFollowing = false
    return { sentences: [], remark }
  }
}
