// If a library loads zod, zod must not test if the page may run generated code, because the page's policy refuses that.
globalThis.__zod_globalConfig = { jitless: true }

// Sets the colours that the person chose before anything is drawn, so that the page does not flash in other colours.
;(function () {
  var chosen = null
  try {
    chosen = localStorage.getItem("mantine-color-scheme-value")
  } catch {
    // The browser may refuse storage to pages.
  }
  var dark = chosen === "dark" || (chosen !== "light" && matchMedia("(prefers-color-scheme: dark)").matches)
  document.documentElement.setAttribute("data-mantine-color-scheme", dark ? "dark" : "light")
})()
