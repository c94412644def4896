export { type Choices, QUESTION_NAMES, QUESTIONS } from "./Choices.ts"
export { projectFiles } from "./projectFiles.ts"
