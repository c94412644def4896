/** The first seed: `PARLEY_TEST_SEED`, which a failing run prints, or a random one. */
export const firstSeed = (): number => {
  const { PARLEY_TEST_SEED: seed } = process.env
  return seed === undefined ? Math.floor(Math.random() * 1e9) : Number(seed)
}
