/**
 * A reader of a response's body that lets its connection go when `signal` aborts; undefined where there is no body. `fetch`
 * was given the signal as well, but Node's refers weakly to what passes an abort on (undici's `Request`): once the head of
 * an answer is there, garbage collection can take that away, and a vendor would go on writing for nobody.
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
