const KEY = /^[A-Za-z0-9._~:-]{1,200}$/

/** Whether text can name metered work. */
export const isWorkKey = (key: string): boolean => KEY.test(key)

/**
 * The business key of the hold that pays metered work at its `place`-th try, from 1: a try that failed was released, and
 * a key that ended stays so. No name of other work can be the key of a further try.
 */
export const workKey = (key: string, place = 1): string => (place === 1 ? `work:${key}` : `work:${key}#${place}`)
