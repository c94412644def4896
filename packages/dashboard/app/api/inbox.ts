import type { Bot } from "@parley/client"
import { queryOptions } from "@tanstack/react-query"
import { parley } from "./parley.ts"

/** The states of a conversation that was handed over to a person, in the order in which the page shows them. */
export const HANDOVER_STATES = ["waiting", "open", "solved"] as const
export type HandoverState = (typeof HANDOVER_STATES)[number]

/** The longest answer that a person may write, in characters. */
export const LONGEST_ANSWER = 8_000

/** The intervals in milliseconds at which an open page reads the counts, lists and messages of an inbox again. */
const COUNT_EVERY_MS = 10_000
const LIST_EVERY_MS = 10_000
const READ_EVERY_MS = 3_000

/**
 * The intervals at which the lists and messages of a bot are read again; false if people do not answer in the bot's
 * place.
 */
export const refreshOf = ({ handOver }: Bot) => ({
  list: handOver ? LIST_EVERY_MS : (false as const),
  conversation: handOver ? READ_EVERY_MS : (false as const)
})

/** The number of a bot's conversations in each state. */
export const inboxQuery = (bot: Bot) =>
  queryOptions({
    queryKey: ["bots", bot.id, "inbox"],
    queryFn: ({ signal }) => parley.bots.inbox(bot.id, { signal }),
    enabled: bot.handOver,
    refetchInterval: COUNT_EVERY_MS
  })
