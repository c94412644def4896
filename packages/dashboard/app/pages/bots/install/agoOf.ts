const UNITS = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000]
] as const

/** The time since a moment, for people: "3 minutes ago". `moment` and `now` are in Unix milliseconds. */
export const agoOf = (moment: number, now: number, language: string): string => {
  const words = new Intl.RelativeTimeFormat(language, { numeric: "auto" })
  const passed = Math.max(0, now - moment)
  const [unit, length] = UNITS.find(([, each]) => passed >= each) ?? ["second", 1_000]
  // Seconds are shown as "now", because the clocks of server and browser differ by seconds.
  return words.format(unit === "second" ? 0 : -Math.floor(passed / length), unit)
}
