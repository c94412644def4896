/**
 * Returns a reader of a response's body that closes the connection when `signal` aborts; undefined if there is no body.
 * `fetch` also has the signal, but Node holds the link from the signal to the request weakly (undici's `Request`):
 * after the head of a response has arrived, garbage collection can drop the link, and the vendor would go on writing
 * without a reader.
 */
export const bodyReader = (
  response: Response,
  signal: AbortSignal | undefined
): ReadableStreamDefaultReader<Uint8Array> | undefined => {
  const reader = response.body?.getReader()
  const cancel = () => void reader?.cancel(signal?.reason).catch(() => undefined)
  if (signal?.aborted === true) cancel()
  else signal?.addEventListener("abort", cancel, { once: true })
  return reader
}
