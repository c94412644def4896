/**
 * Repeats a task until it has nothing to wait for, with growing pauses. `start` again begins with short pauses.
 * @param {() => Promise<boolean>} task gives whether to go on; one that fails is tried again after the next pause
 * @param {{ first: number, longest: number }} pauses in milliseconds
 */
export const createPoll = (task, { first, longest }) => {
  /** @type {number | undefined} */
  let timer
  let pause = first
  const next = () => {
    timer = window.setTimeout(async () => {
      const round = timer
      const goOn = await task().catch(() => true)
      if (timer !== round) return
      timer = undefined
      pause = Math.min(pause * 1.6, longest)
      if (goOn) next()
    }, pause)
  }
  const stop = () => {
    window.clearTimeout(timer)
    timer = undefined
  }
  return {
    start: () => {
      stop()
      pause = first
      next()
    },
    stop
  }
}
