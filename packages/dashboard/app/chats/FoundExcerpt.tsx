import type { ChatSummary } from "../api/chats.ts"
import classes from "./ChatList.module.css"

/** The place of the words that a search found in a chat. */
export const FoundExcerpt = ({ excerpt, start, end }: NonNullable<ChatSummary["found"]>) => (
  <span className={classes.excerpt}>
    {excerpt.slice(0, start)}
    <mark>{excerpt.slice(start, end)}</mark>
    {excerpt.slice(end)}
  </span>
)
