import { partMessages } from "../../messages/partMessages.ts"
import { versions as english } from "../../messages/en/versions.ts"
import { Icon } from "../../theme/Icon.tsx"
import type { Conversation } from "../Conversation.ts"
import type { ReplyMessage } from "../ReplyMessage.ts"
import action from "./MessageAction.module.css"
import classes from "./VersionsView.module.css"

const useVersionsMessages = partMessages(english, {
  de: async () => (await import("../../messages/de/versions.ts")).versions,
  fr: async () => (await import("../../messages/fr/versions.ts")).versions,
  es: async () => (await import("../../messages/es/versions.ts")).versions,
  pt: async () => (await import("../../messages/pt/versions.ts")).versions
})

export interface VersionsViewProps {
  readonly conversation: Conversation
  readonly message: ReplyMessage
  /** True if no reply is being written. */
  readonly isIdle: boolean
}

/** The place of a message among its versions, with buttons to the previous and the next one. */
export const VersionsView = ({ conversation, message, isIdle }: VersionsViewProps) => {
  const { t } = useVersionsMessages()
  const { storedId = "", versions = [] } = message.metadata ?? {}
  const index = versions.indexOf(storedId)
  const step = (icon: "chevronLeft" | "chevronRight", label: string, other: string | undefined) => (
    <button
      type="button"
      className={action.action}
      aria-label={label}
      title={label}
      // `aria-disabled` keeps the focus on the button at the first and the last version; `disabled` would lose it.
      aria-disabled={!isIdle || other === undefined}
      onClick={() => isIdle && other !== undefined && void conversation.show(other)}
    >
      <Icon name={icon} size={16} />
    </button>
  )
  return (
    <div className={classes.versions} role="group" aria-label={t("chat.versions")}>
      {step("chevronLeft", t("chat.version.previous"), versions[index - 1])}
      <span aria-live="polite">
        <span className="visually-hidden">{t("chat.version", { place: index + 1, count: versions.length })}</span>
        <span aria-hidden="true">
          {index + 1}/{versions.length}
        </span>
      </span>
      {step("chevronRight", t("chat.version.next"), versions[index + 1])}
    </div>
  )
}
