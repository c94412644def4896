import type { ChatSummary } from "../api/chats.ts"
import classes from "./ChatList.module.css"

/** The text around the searched words in a chat, with the words marked. */
export const FoundExcerpt = ({ excerpt, start, end }: NonNullable<ChatSummary["found"]>) => (
  <span className={classes.excerpt}>
    {excerpt.slice(0, start)}
    <mark>{excerpt.slice(start, end)}</mark>
    {excerpt.slice(end)}
  </span>
)
