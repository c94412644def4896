import { Component, type ReactNode, type RefObject } from "react"

export interface KeptPlaceProps {
  /** The id of the first message. */
  readonly first: string | undefined
  /**
   * The element that contains the messages, each with `data-role`, within an element with `data-scrolls` that scrolls.
   */
  readonly list: RefObject<HTMLElement | null>
  readonly children: ReactNode
}

/** A message, and the distance of its top from the top of the window, in pixels. */
interface Place {
  readonly message: HTMLElement
  readonly top: number
}

/**
 * Keeps the reader's scroll position while messages are inserted above, and moves the focus to the first message that
 * was shown before, because the pressed button is then far above. Browsers do not keep the position at the very top. It
 * is a class component, because only class components are called before the DOM changes.
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
    // The message was replaced by others, so there is no position to keep.
    if (box === null) return
    box.scrollTop += message.getBoundingClientRect().top - top
    message.tabIndex = -1
    message.focus({ preventScroll: true })
  }

  override render() {
    return this.props.children
  }
}
