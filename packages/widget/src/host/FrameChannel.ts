import { type FrameMessage, type HostState, PROTOCOL } from "./messages.ts"

/**
 * The page's end of what it and a frame say to each other: takes what comes from this frame, while it shows a page of
 * `origin`, and from nobody else. Gives what tells it the state, only there.
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
