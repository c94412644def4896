import { useSyncExternalStore } from "react"
import type { Conversation } from "./Conversation.ts"
import type { ConversationFacts } from "./ConversationFacts.ts"

/** The current state of a conversation apart from its messages, for components. */
export const useFacts = (conversation: Conversation): ConversationFacts =>
  useSyncExternalStore(conversation.subscribe, conversation.facts)
