import type { RequestListener } from "node:http"

export interface LateListener {
  /** The listener; requests wait until it is loaded. */
  readonly listener: RequestListener
  /** Loads the listener now, if it is not loaded yet. */
  load(): Promise<RequestListener>
}

/** A listener that `load` loads at the first request or earlier, so that the server starts before it is loaded. */
export const lateListener = (load: () => Promise<RequestListener>): LateListener => {
  let loading: Promise<RequestListener> | undefined
  const loaded = () => (loading ??= load())
  return {
    listener: (request, response) => {
      loaded().then(
        (listener) => listener(request, response),
        () => response.writeHead(500).end()
      )
    },
    load: loaded
  }
}
