import { InsufficientCredits } from "@parley/core/effect"
import type { Parley } from "@parley/core"

/** A feature of your application: summarises a text in one sentence, or returns the reason why it cannot. */
export const summarise = async ({ chat }: Pick<Parley, "chat">, userId: string, text: string): Promise<string> => {
  const content = `Summarise in one sentence:\n\n${text}`
  try {
    return await (await chat.send(userId, { messages: [{ role: "user", content }] })).text()
  } catch (error) {
    if (error instanceof InsufficientCredits) {
      return `You have no credits left until ${new Date(error.nextResetAt).toISOString()}.`
    }
    throw error
  }
}
