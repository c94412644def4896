import { defineConfig } from "vite"

/**
 * Two builds of `app` into `dist-app`: in the mode `loader` the script that pages embed, one file without a hash in
 * its name; otherwise the frame, whose files have hashes. Addresses in the frame's page are relative, so they work
 * under any prefix.
 */
export default defineConfig(({ mode }) => ({
  root: `${import.meta.dirname}/app/frame`,
  base: "./",
  define: { "process.env.NODE_ENV": '"production"' },
  build: {
    outDir: "../../dist-app",
    emptyOutDir: mode !== "loader",
    target: ["chrome111", "firefox113", "safari16.4"],
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    ...(mode === "loader"
      ? {
          lib: {
            entry: `${import.meta.dirname}/app/loader/main.ts`,
            formats: ["iife" as const],
            name: "loader",
            fileName: () => "widget.js"
          }
        }
      : {})
  }
}))
