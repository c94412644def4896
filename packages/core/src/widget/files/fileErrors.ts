import { Schema } from "effect"
import { countOf } from "../../storage/spokenNumbers.ts"

/** The bot's owner has not turned on that visitors may attach files. */
export class VisitorUploadsOff extends Schema.TaggedError<VisitorUploadsOff>()("VisitorUploadsOff", {}) {
  readonly code = "visitor_uploads_off"
  override get message() {
    return "This assistant takes no files."
  }
}

/** The conversation has the maximum number of files. */
export class TooManyConversationFiles extends Schema.TaggedError<TooManyConversationFiles>()(
  "TooManyConversationFiles",
  { limit: Schema.Int }
) {
  readonly code = "too_many_conversation_files"
  override get message() {
    return `A conversation has room for ${countOf(this.limit, "file")}. Begin a new one for others.`
  }
}

/** The bot's owner has no room for the file, or is blocked. The visitor does not learn which of these. */
export class NoRoomForFile extends Schema.TaggedError<NoRoomForFile>()("NoRoomForFile", {}) {
  readonly code = "no_room_for_file"
  override get message() {
    return "This assistant can take no more files at the moment. Go on without it, or try again later."
  }
}

/** Too many files were attached from one address, or to the bot. The visitor does not learn which of these. */
export class VisitorUploadsLimited extends Schema.TaggedError<VisitorUploadsLimited>()("VisitorUploadsLimited", {
  /** Milliseconds until the visitor may attach files again. */
  retryAfterMs: Schema.Finite
}) {
  readonly code = "visitor_uploads_limited"
  /** The limit as the client sees it, without its size. */
  get rateLimit() {
    return { policy: "uploads", resetMs: this.retryAfterMs }
  }
  override get message() {
    const minutes = Math.max(1, Math.ceil(this.retryAfterMs / 60_000))
    return `Too many files were sent. Try again in ${countOf(minutes, "minute")}.`
  }
}
