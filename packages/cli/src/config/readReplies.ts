import { DEFAULT_REPLIES, replySettingsOver } from "@parley/core/adapter"
import { Schema } from "effect"
import type { EnvironmentReader } from "./EnvironmentReader.ts"
import type { RepliesConfig } from "./RepliesConfig.ts"

const Part = Schema.Struct({
  instructions: Schema.optionalKey(Schema.String),
  passages: Schema.optionalKey(Schema.Number),
  systemMessages: Schema.optionalKey(Schema.String)
})

const decode = Schema.decodeUnknownOption(Part, { onExcessProperty: "error" })

/** The part `replies` of the file named by `PARLEY_CONFIG`: how replies to people are made. */
export const readReplies = (read: EnvironmentReader, part: unknown): RepliesConfig => {
  if (part === undefined) return {}
  const decoded = decode(part)
  if (decoded._tag === "None") {
    read.problem(
      "PARLEY_CONFIG",
      'replies: expected { "systemMessages", "instructions", "passages" }, each where needed'
    )
    return {}
  }
  const replies = decoded.value as RepliesConfig
  try {
    replySettingsOver(DEFAULT_REPLIES, replies)
    return replies
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    read.problem("PARLEY_CONFIG", error.message.replace(/\.$/, ""))
    return {}
  }
}
