/** Where the rounds begin: `PARLEY_TEST_SEED`, as a failing run prints it, or anywhere. */
export const firstSeed = (): number => {
  const { PARLEY_TEST_SEED: seed } = process.env
  return seed === undefined ? Math.floor(Math.random() * 1e9) : Number(seed)
}
