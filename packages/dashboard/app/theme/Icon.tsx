/** The paths of each icon on a square of 24 units, drawn with a line width of 1.75. */
const PATHS = {
  archive: ["M4 7h16v12a1 1 0 0 1-1 1H5a1 1 0 0 1-1-1z", "M3 4h18v3H3z", "M10 12h4"],
  arrowDown: ["M12 5v14", "m6 13 6 6 6-6"],
  arrowUp: ["M12 19V5", "m6 11 6-6 6 6"],
  bot: ["M5 8h14v11H5z", "M12 4v4", "M9.5 13h.01", "M14.5 13h.01", "M9 16h6"],
  card: ["M3 6h18v12H3z", "M3 10h18", "M7 15h3"],
  chart: ["M4 20h16", "M7 16v-5", "M12 16V6", "M17 16v-8"],
  check: ["m5 12.5 4.5 4.5L19 7.5"],
  chevronDown: ["m6 9 6 6 6-6"],
  chevronLeft: ["m15 6-6 6 6 6"],
  chevronRight: ["m9 6 6 6-6 6"],
  close: ["M6 6l12 12", "M18 6 6 18"],
  copy: ["M9 9h10v11H9z", "M5 15V4h10"],
  dots: ["M5 12h.01", "M12 12h.01", "M19 12h.01"],
  download: ["M12 4v11", "m7 10 5 5 5-5", "M5 20h14"],
  edit: ["M4 20h4L19 9l-4-4L4 16z", "m13 7 4 4"],
  file: ["M6 3h8l5 5v13H6z", "M14 3v5h5"],
  folder: ["M3 6h7l2 2h9v11H3z"],
  image: ["M4 5h16v14H4z", "m4 16 5-5 4 4 3-3 4 4", "M15 9h.01"],
  info: ["M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18z", "M12 11v5", "M12 8h.01"],
  menu: ["M4 7h16", "M4 12h16", "M4 17h16"],
  microphone: ["M12 3a3 3 0 0 1 3 3v5a3 3 0 0 1-6 0V6a3 3 0 0 1 3-3z", "M6 11a6 6 0 0 0 12 0", "M12 17v4"],
  moon: ["M20 14.5A8.5 8.5 0 0 1 9.5 4a8.5 8.5 0 1 0 10.5 10.5z"],
  newChat: ["M20 12v7a1 1 0 0 1-1 1H5a1 1 0 0 1-1-1V5a1 1 0 0 1 1-1h7", "M10 14l1-4 8-8 3 3-8 8z"],
  paperclip: ["M20 11.5 12 19.5a5 5 0 0 1-7-7l8.5-8.5a3.3 3.3 0 0 1 4.7 4.7L9.8 17a1.7 1.7 0 0 1-2.4-2.4L14.5 7.5"],
  person: ["M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8z", "M4.5 20.5c1-4 4-5.5 7.5-5.5s6.5 1.5 7.5 5.5"],
  receipt: ["M6 3h12v18l-3-2-3 2-3-2-3 2z", "M9 8h6", "M9 12h6"],
  refresh: ["M20 11a8 8 0 1 0-2.3 6.5", "M20 4v7h-7"],
  search: ["M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14z", "m16 16 5 5"],
  settings: [
    "M4 7h9",
    "M19 7h1",
    "M16 9.500a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5z",
    "M4 17h1",
    "M11 17h9",
    "M8 19.500a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5z"
  ],
  shield: ["M12 3l8 3v6c0 5-3.5 8-8 9-4.5-1-8-4-8-9V6z", "m8.5 12 2.5 2.5 4.5-4.5"],
  signOut: ["M14 4H5v16h9", "M10 12h11", "m17 8 4 4-4 4"],
  stop: ["M7 7h10v10H7z"],
  share: ["M12 15V4", "m8 8 4-4 4 4", "M5 12v8h14v-8"],
  thumbDown: [
    "M17 4v10h3V4z",
    "M17 5 8 4c-2 0-2.500.5-3 2l-1.500 5c-.5 2 .5 3 2 3h5l-1 4.500c0 2 2 2.500 3 .5l4.500-5"
  ],
  thumbUp: ["M7 20V10H4v10z", "m7 19 9 1c2 0 2.500-.5 3-2l1.500-5c.5-2-.5-3-2-3h-5l1-4.500c0-2-2-2.500-3-.5L7 10"],
  trash: ["M4 7h16", "M9 7V4h6v3", "m6 7 1 13h10l1-13"],
  upload: ["M12 20V9", "m7 13 5-5 5 5", "M5 4h14"]
} as const

export type IconName = keyof typeof PATHS

export interface IconProps {
  readonly name: IconName
  /** The edge of the icon in pixels. */
  readonly size?: number
}

/** An icon beside text, or in a button with an accessible name. Screen readers skip the icon. */
export const Icon = ({ name, size = 18 }: IconProps) => (
  <svg
    width={size}
    height={size}
    viewBox="0 0 24 24"
    fill="none"
    stroke="currentColor"
    strokeWidth={1.75}
    strokeLinecap="round"
    strokeLinejoin="round"
    aria-hidden="true"
    focusable="false"
  >
    {PATHS[name].map((path) => (
      <path key={path} d={path} />
    ))}
  </svg>
)
