import type { RequestListener } from "node:http"

export interface LateListener {
  /** Requests wait until it is loaded. */
  readonly listener: RequestListener
  /** Loads it now, where that was not done before. */
  load(): Promise<RequestListener>
}

/** A listener that is loaded by `load` when it is first needed, or before: what a server does not need to begin. */
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
