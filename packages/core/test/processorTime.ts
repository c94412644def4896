/**
 * Begins to count the processor time of this thread, which other processes do not lengthen; the returned function
 * reads it in milliseconds.
 */
export const processorTime = (): (() => number) => {
  const began = process.threadCpuUsage()
  return () => {
    const { system, user } = process.threadCpuUsage(began)
    return (system + user) / 1_000
  }
}
