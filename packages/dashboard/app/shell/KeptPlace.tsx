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
 * Keeps the reader's scroll position while messages are inserted above, and moves the focus to the new messages,
 * because the pressed button is then far above. Browsers do not keep the position at the very top. It is a class
 * component because only these are called before a change of the DOM.
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
