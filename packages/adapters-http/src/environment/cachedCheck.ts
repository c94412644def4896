/**
 * Runs a check at most once at a time, and returns its result, success or failure, for `forMs` milliseconds. A check
 * that takes longer than `withinMs` fails.
 */
export const cachedCheck = (
  ask: () => Promise<void>,
  options: { forMs: number; withinMs: number }
): (() => Promise<void>) => {
  const { forMs, withinMs } = options
  let answer: Promise<void> | undefined
  const forget = () => {
    answer = undefined
  }
  return () => {
    if (answer !== undefined) return answer
    const asked = withTimeLimit(ask, withinMs)
    answer = asked
    const forgetLater = () => void setTimeout(forget, forMs).unref()
    asked.then(forgetLater, forgetLater)
    return asked
  }
}

const withTimeLimit = async (ask: () => Promise<void>, withinMs: number): Promise<void> => {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error("No answer came in time.")), withinMs)
  try {
    await Promise.race([ask(), promise])
  } finally {
    clearTimeout(timer)
  }
}
