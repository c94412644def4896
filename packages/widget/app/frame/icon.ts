/**
 * The paths of the icons, drawn as lines in the colour of the text, in a square of 24 units. Only `leave` points in the
 * direction of the text, so the styles mirror it for text from right to left.
 */
const PATHS = {
  close: "M6 6l12 12M18 6L6 18",
  save: "M12 4v11M7 11l5 5 5-5M5 20h14",
  restart: "M4 12a8 8 0 1 0 2.6-5.9M4 4v4.5h4.5",
  send: "M12 19V5M6 11l6-6 6 6",
  stop: "M8 8h8v8H8z",
  down: "M12 5v14M6 13l6 6 6-6",
  retry: "M4 12a8 8 0 1 0 2.6-5.9M4 4v4.5h4.5",
  attach:
    "M19 11l-7.500 7.500a4.500 4.500 0 0 1-6.400-6.400l8-8a3 3 0 0 1 4.300 4.300l-8 8a1.500 1.500 0 0 1-2.200-2.200L14 7.500",
  leave: "M9 5h10v10M19 5L6 18",
  chevron: "M6 9l6 6 6-6",
  good: "M7 20V10H4v10zM7 19l9 1c2 0 2.500-.5 3-2l1.500-5c.5-2-.5-3-2-3h-5l1-4.500c0-2-2-2.500-3-.5L7 10",
  bad: "M17 4v10h3V4zM17 5L8 4c-2 0-2.500.5-3 2l-1.500 5c-.5 2 .5 3 2 3h5l-1 4.500c0 2 2 2.500 3 .5l4.500-5"
} as const

export type IconName = keyof typeof PATHS

const SVG = "http://www.w3.org/2000/svg"

/** Draws a decorative icon. The element around it has an accessible name. */
export const icon = (name: IconName): SVGElement => {
  const svg = document.createElementNS(SVG, "svg")
  const path = document.createElementNS(SVG, "path")
  svg.setAttribute("viewBox", "0 0 24 24")
  svg.setAttribute("aria-hidden", "true")
  svg.setAttribute("class", "icon")
  path.setAttribute("d", PATHS[name])
  svg.append(path)
  return svg
}
