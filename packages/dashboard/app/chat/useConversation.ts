import { useSyncExternalStore } from "react"
import type { Conversation, ConversationFacts } from "./Conversation.ts"

/** What a conversation shows besides its messages, as it changes. */
export const useFacts = (conversation: Conversation): ConversationFacts =>
  useSyncExternalStore(conversation.subscribe, conversation.facts)
