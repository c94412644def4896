import type { ReplySettingsData } from "@parley/core"

/** What operators can set; a prompt builder is for applications, which bring it. */
export type RepliesConfig = Partial<Pick<ReplySettingsData, "instructions" | "passages" | "systemMessages">>
