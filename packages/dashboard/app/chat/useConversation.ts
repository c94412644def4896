import { useSyncExternalStore } from "react"
import type { Conversation, ConversationFacts } from "./Conversation.ts"

/** The current state of a conversation besides its messages. */
export const useFacts = (conversation: Conversation): ConversationFacts =>
  useSyncExternalStore(conversation.subscribe, conversation.facts)
