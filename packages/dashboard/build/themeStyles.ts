import {
  convertCssVariables,
  DEFAULT_THEME,
  defaultCssVariablesResolver,
  type MantineThemeOverride,
  mergeMantineTheme
} from "@mantine/core"
import type { Plugin } from "vite"
import { theme } from "../app/theme/theme.ts"

const FILE = "/app/theme/variables.css"

const SELECTOR = ":root"

/**
 * The theme's variables as a file. Mantine would write them into a `style` element when the page runs, which the page's
 * policy (`style-src 'self'`) refuses. They fill `app/theme/variables.css`.
 */
export const themeStyles = (): Plugin => ({
  name: "theme-styles",
  enforce: "pre",
  transform: (_code, id) => (id.endsWith(FILE) ? cssOf(theme) : undefined)
})

const cssOf = (override: MantineThemeOverride): string =>
  convertCssVariables(defaultCssVariablesResolver(mergeMantineTheme(DEFAULT_THEME, override)), SELECTOR)
