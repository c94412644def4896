import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { meQuery } from "../../../api/session.ts"
import { type BotDraft, botDrafts, changesOf } from "./botDraft.ts"

/** The unsaved draft of a bot, kept through a reload and an ended session. */
export const useBotDraft = (saved: BotDraft, botId: string | undefined) => {
  const { data: me } = useQuery(meQuery)
  const userId = me?.userId ?? ""
  const [written, setWritten] = useState(() => botDrafts.read(userId, botId))
  const keep = (draft: BotDraft | undefined) => {
    setWritten(draft)
    botDrafts.keep(userId, botId, draft)
  }
  // A draft that an earlier release stored lacks newer settings.
  const draft = written === undefined ? saved : { ...saved, ...written }
  return {
    draft,
    changes: changesOf(saved, draft),
    change: (change: Partial<BotDraft>) => keep({ ...draft, ...change }),
    /** Restores the saved settings. */
    discard: () => keep(undefined)
  }
}
