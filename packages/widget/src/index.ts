export { defineParleyWidget, type ParleyWidgetElement } from "./host/defineParleyWidget.ts"
export type { Texts, Theme } from "./host/messages.ts"
export { mount } from "./host/mount.ts"
export type { ParleyWidget, WidgetEvent, WidgetEvents, WidgetOptions } from "./host/ParleyWidget.ts"
