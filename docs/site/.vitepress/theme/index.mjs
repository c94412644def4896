import DefaultTheme from "vitepress/theme"
import "./parley.css"

export default DefaultTheme
