import { ParleyError } from "@parley/client"
import { Alert, Button, Group, Text } from "@mantine/core"
import { Link, useLocation } from "react-router"
import { billingPath, wayOut } from "../billing/billingPath.ts"
import { problemSentences } from "../messages/problemSentences.ts"
import { useMessages } from "../messages/MessagesProvider.tsx"
import { Icon } from "../theme/Icon.tsx"

export interface ProblemNoticeProps {
  readonly error: unknown
  /** Called by the button for another try; without it there is no such button. */
  readonly onRetry?: (() => void) | undefined
  /** Called by the button that closes the notice; without it there is no such button. */
  readonly onDismiss?: (() => void) | undefined
}

/** The sentences of a failure, announced to screen readers at once. */
export const ProblemNotice = ({ error, onRetry, onDismiss }: ProblemNoticeProps) => {
  const messages = useMessages()
  const { t } = messages
  const { pathname } = useLocation()
  const out = error instanceof ParleyError ? wayOut(error.code) : undefined
  return (
    <Alert
      color="red"
      variant="light"
      role="alert"
      icon={<Icon name="info" />}
      withCloseButton={onDismiss !== undefined}
      closeButtonLabel={t("action.dismiss")}
      {...(onDismiss === undefined ? {} : { onClose: onDismiss })}
      styles={{ message: { color: "var(--text)" } }}
    >
      {problemSentences(error, messages).map((sentence) => (
        <Text key={sentence} size="sm">
          {sentence}
        </Text>
      ))}
      {(onRetry !== undefined || out !== undefined) && (
        <Group mt="xs" gap="xs">
          {out !== undefined && (
            <Button size="xs" component={Link} to={billingPath(pathname)}>
              {t(out)}
            </Button>
          )}
          {onRetry !== undefined && (
            <Button size="xs" variant="default" onClick={onRetry}>
              {t("action.retry")}
            </Button>
          )}
        </Group>
      )}
    </Alert>
  )
}
