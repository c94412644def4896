/** The code of a site with a bundler: bundled by a test, and run in a page. */
import { defineParleyWidget, mount } from "@parley/widget"
import { ParleyWidget, type ParleyWidgetProps } from "@parley/widget/react"
import { createElement, StrictMode } from "react"
import { createRoot } from "react-dom/client"

const root = createRoot(document.querySelector("#react")!)

Object.assign(globalThis, {
  bundled: {
    mount,
    defineParleyWidget,
    /** Shows the component with these properties, or nothing. */
    render: (props: ParleyWidgetProps | undefined) =>
      root.render(createElement(StrictMode, {}, props === undefined ? null : createElement(ParleyWidget, props)))
  }
})
