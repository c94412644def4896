import "@mantine/core/styles.css"
import "./theme/variables.css"
import "./theme/tokens.css"
import "./theme/base.css"
import "./theme/shapes.css"
import { StrictMode } from "react"
import { createRoot } from "react-dom/client"
import { App } from "./App.tsx"
import { loadCatalogue } from "./messages/loadCatalogue.ts"
import { preferredLanguage } from "./messages/language.ts"
import { recordMissingStyles } from "./parts/loadPart.ts"

const start = async (place: HTMLElement): Promise<void> => {
  const language = preferredLanguage()
  document.documentElement.lang = language
  const catalogue = await loadCatalogue(language)
  createRoot(place).render(
    <StrictMode>
      <App initial={{ language, catalogue }} />
    </StrictMode>
  )
}

recordMissingStyles()
const place = document.getElementById("app")
if (place !== null) void start(place)
