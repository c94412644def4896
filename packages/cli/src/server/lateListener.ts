import type { RequestListener } from "node:http"

export interface LateListener {
  /** Requests wait until it is loaded. */
  readonly listener: RequestListener
  /** Loads it now, if it is not loaded yet. */
  load(): Promise<RequestListener>
}

/** A listener that `load` loads on first use, or earlier: the server can start without it. */
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
