import { Schema } from "effect"
import { countOf } from "../../storage/spokenNumbers.ts"

/** Visitors of this bot attach no files: its owner has not switched that on. */
export class VisitorUploadsOff extends Schema.TaggedError<VisitorUploadsOff>()("VisitorUploadsOff", {}) {
  readonly code = "visitor_uploads_off"
  override get message() {
    return "This assistant takes no files."
  }
}

/** The conversation has as many files as one may have. */
export class TooManyConversationFiles extends Schema.TaggedError<TooManyConversationFiles>()(
  "TooManyConversationFiles",
  { limit: Schema.Int }
) {
  readonly code = "too_many_conversation_files"
  override get message() {
    return `A conversation has room for ${countOf(this.limit, "file")}. Begin a new one for others.`
  }
}

/** The bot's owner has no room for the file, or may not act at the moment. Which it is only the owner may know. */
export class NoRoomForFile extends Schema.TaggedError<NoRoomForFile>()("NoRoomForFile", {}) {
  readonly code = "no_room_for_file"
  override get message() {
    return "This assistant can take no more files at the moment. Go on without it, or try again later."
  }
}

/** Too many files were attached from an address, or to a bot. Which it is only the owner may know. */
export class VisitorUploadsLimited extends Schema.TaggedError<VisitorUploadsLimited>()("VisitorUploadsLimited", {
  /** Milliseconds until it may again. */
  retryAfterMs: Schema.Finite
}) {
  readonly code = "visitor_uploads_limited"
  /** The limit for the client, without its size. */
  get rateLimit() {
    return { policy: "uploads", resetMs: this.retryAfterMs }
  }
  override get message() {
    const minutes = Math.max(1, Math.ceil(this.retryAfterMs / 60_000))
    return `Too many files were sent. Try again in ${countOf(minutes, "minute")}.`
  }
}
