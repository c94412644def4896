import { type FrameMessage, type HostState, PROTOCOL } from "./messages.ts"

/**
 * The page's end of the channel to a frame: accepts messages only from this frame while it shows a page of `origin`.
 * Returns a function that sends the state, only to that origin.
 */
export const openFrameChannel = (
  frame: HTMLIFrameElement,
  origin: string,
  receive: (message: FrameMessage) => void,
  signal: AbortSignal
): ((state: HostState) => void) => {
  const hear = ({ data, origin: from, source }: MessageEvent): void => {
    if (source && source === frame.contentWindow && from === origin && data?.parley === PROTOCOL) receive(data)
  }
  addEventListener("message", hear, { signal })
  return (state) => frame.contentWindow?.postMessage({ parley: PROTOCOL, ...state }, origin)
}
