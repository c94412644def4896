import { createTheme, type MantineColorsTuple } from "@mantine/core"

/** Parley's green in ten shades. White text is readable on it from the seventh shade on. */
const green: MantineColorsTuple = [
  "#eef8f4",
  "#dceee7",
  "#b5dccc",
  "#8acab0",
  "#64ba97",
  "#4bb087",
  "#2f9370",
  "#1d6b57",
  "#165848",
  "#0e4437"
]

/** A neutral, slightly cool grey, from text on dark to the darkest background. */
const dark: MantineColorsTuple = [
  "#d5d6da",
  "#b4b6bd",
  "#9a9ca5",
  "#70737d",
  "#3b3d45",
  "#2c2e35",
  "#232429",
  "#1b1c20",
  "#141518",
  "#0e0f11"
]

const fonts = {
  text: 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", sans-serif',
  code: 'ui-monospace, "SF Mono", "Cascadia Code", "Roboto Mono", "Liberation Mono", monospace'
}

/** The application's theme. The build writes its CSS variables to a file (`variables.css`). */
export const theme = createTheme({
  primaryColor: "brand",
  primaryShade: 7,
  // An operator's brand overrides the variables of `brand` (`src/brandFiles.ts`). `green` stays the colour of success.
  colors: { brand: green, green, dark },
  black: "#1c1d21",
  fontFamily: fonts.text,
  fontFamilyMonospace: fonts.code,
  headings: { fontFamily: fonts.text, fontWeight: "650" },
  defaultRadius: "md",
  cursorType: "pointer",
  respectReducedMotion: true,
  // The page's policy refuses style elements, with which Mantine would lock scrolling, so these components do not lock
  // it.
  components: {
    Modal: {
      defaultProps: { lockScroll: false, centered: true, radius: "lg", transitionProps: { duration: 0 } },
      styles: { title: { fontWeight: 650 } }
    },
    Drawer: { defaultProps: { lockScroll: false } }
  }
})
