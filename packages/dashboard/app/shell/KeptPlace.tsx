import { Component, type ReactNode, type RefObject } from "react"

export interface KeptPlaceProps {
  /** The id of the first message. */
  readonly first: string | undefined
  /** The messages, each marked with its role, in an element that is marked as the one that scrolls. */
  readonly list: RefObject<HTMLElement | null>
  readonly children: ReactNode
}

/** A message, and how far below the top of the window it stands, in pixels. */
interface Place {
  readonly message: HTMLElement
  readonly top: number
}

/**
 * Keeps what the reader sees where it is while messages are put before it, and moves the focus there: what was pressed for
 * them is far above by then. Browsers do not do so at the very top. A component of this kind is the only one that React
 * tells of a change before it is made.
 */
export class KeptPlace extends Component<KeptPlaceProps> {
  override getSnapshotBeforeUpdate({ first }: KeptPlaceProps): Place | null {
    const message = this.props.list.current?.querySelector<HTMLElement>("[data-role]")
    if (first === this.props.first || message == null) return null
    return { message, top: message.getBoundingClientRect().top }
  }

  override componentDidUpdate(_before: KeptPlaceProps, _state: unknown, place: Place | null) {
    if (place === null) return
    const { message, top } = place
    const box = message.closest("[data-scrolls]")
    // Other messages, and not these with others before them.
    if (box === null) return
    box.scrollTop += message.getBoundingClientRect().top - top
    message.tabIndex = -1
    message.focus({ preventScroll: true })
  }

  override render() {
    return this.props.children
  }
}
