import type { ReplySettingsData } from "@parley/core"

/** The settings that operators can set; only applications can provide a prompt builder. */
export type RepliesConfig = Partial<Pick<ReplySettingsData, "instructions" | "passages" | "systemMessages">>
