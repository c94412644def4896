import type { Messages } from "../../messages/MessagesProvider.tsx"

/** The name of a spender for people: chats, a bot, a key, or the name of a meter. */
export const sourceName = (source: string, { t }: Pick<Messages, "t">): string => {
  const [kind, ...rest] = source.split(":")
  switch (kind) {
    case "chat":
      return t("usage.source.chat")
    case "bot":
      return t("usage.source.bot")
    case "key":
      return t("usage.source.key")
    default:
      return t("usage.source.meter", { name: rest.join(":") || source })
  }
}
