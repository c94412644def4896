import { Button, Text, Title } from "@mantine/core"
import { Component, type ReactNode } from "react"
import { useMessages } from "../messages/MessagesProvider.tsx"
import classes from "./Message.module.css"

interface CrashBoundaryProps {
  /** True if the boundary surrounds the whole page. */
  readonly isWholePage?: boolean
  /** The address in view. A change of it makes the boundary try to render its content again. */
  readonly address?: string
  readonly children: ReactNode
}

interface CrashBoundaryState {
  readonly hasCrashed: boolean
  readonly address: string | undefined
}

/** Shows a fallback if its content fails to render. */
export class CrashBoundary extends Component<CrashBoundaryProps, CrashBoundaryState> {
  override state: CrashBoundaryState = { hasCrashed: false, address: undefined }

  static getDerivedStateFromError() {
    return { hasCrashed: true }
  }

  static getDerivedStateFromProps({ address }: CrashBoundaryProps, state: CrashBoundaryState) {
    return address === state.address ? null : { hasCrashed: false, address }
  }

  override render() {
    return this.state.hasCrashed ? <Crashed isWholePage={this.props.isWholePage === true} /> : this.props.children
  }
}

const reload = () => location.reload()

const Crashed = ({ isWholePage }: { readonly isWholePage: boolean }) => {
  const { t } = useMessages()
  const Place = isWholePage ? "main" : "div"
  return (
    <Place className={classes.place}>
      <Title order={1} size="h3">
        {t("app.crash.title")}
      </Title>
      <Text c="dimmed">{t("app.crash.text")}</Text>
      <Button onClick={reload}>{t("app.crash.action")}</Button>
    </Place>
  )
}
